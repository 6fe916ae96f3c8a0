-- The values of the asked predicate that are not entities, each once, and in how many facts.
--
-- reads:   asked_facts (value, kind)
-- writes:  literal_values, one row per (kind, value)
-- params:  none

create or replace table literal_values as

select kind, value, count(*) as n_facts
from asked_facts
where value is not null
group by kind, value
order by kind, value;
