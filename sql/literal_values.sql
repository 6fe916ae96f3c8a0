-- The values of the asked predicate that are not entities, each once.
--
-- reads:   asked (predicate), facts (predicate, value, kind)
-- writes:  literal_values, one row per (kind, value)
-- params:  none

create or replace table literal_values as

select distinct kind, value
from facts
where predicate = (select predicate from asked) and value is not null
order by kind, value;
