-- What is said of an entity: its description, and the names of its types.
--
-- reads:   linked_entities (number, entity, label, description, types)
-- writes:  linked_clues, a view, one row per entity and text
-- params:  none

create or replace view linked_clues as

select number, description as text
from linked_entities
where description is not null

union all

select typed.number, named.label as text
from (select number, unnest(types) as type from linked_entities) as typed
inner join linked_entities as named on typed.type = named.entity;
