-- Which entities a fact connects.
--
-- reads:   facts, linked_entities (number, id)
-- writes:  linked_neighbours, one row per two entities, the smaller number first
-- params:  none

create or replace table linked_neighbours as

select distinct
    least(subjects.number, objects.number) as one,
    greatest(subjects.number, objects.number) as other
from facts
inner join linked_entities as subjects on facts.subject = subjects.id
inner join linked_entities as objects on facts.object = objects.id;
