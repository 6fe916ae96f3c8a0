-- The staged entities that have a name, numbered in the order of their ids.
--
-- reads:   entities
-- writes:  linkable_entities, one row per entity with a label or an alias; numbers begin at 0
-- params:  none

create or replace table linkable_entities as

select
    (row_number() over (order by id) - 1)::integer as number,
    id,
    entity_text(id) as entity,
    coalesce(label, aliases[1]) as label,
    aliases,
    description,
    types,
    popularity,
    wikipedia_title
from entities
where label is not null or len(aliases) > 0
order by id;
