-- The values about what questions mention that could be an answer but are no entities.
--
-- reads:   gap_facts (kind, value)
-- writes:  gap_values, one row per kind and value
-- params:  none

create or replace table gap_values as

select distinct kind, value
from gap_facts
where value is not null;
