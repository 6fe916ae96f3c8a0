-- How often each entity is the subject and the object of a fact.
--
-- reads:   facts (subject, object)
-- writes:  occurrences (id, role, text, number, position), one row per entity and role, as sources say things about entities
-- params:  none

create or replace table occurrences as

with counted as (
    select subject as id, 'statements' as role, count(*) as number from facts group by subject
    union all
    select object, 'pointers', count(*) from facts where object is not null group by object
)

select id, role, null::varchar as text, number, 0::bigint as position
from counted
order by id, role;
