-- Which entities a fact connects.
--
-- reads:   facts, linkable_entities (number, id)
-- writes:  linked_neighbours, one row per two entities, the smaller number first
-- params:  none

create or replace table linked_neighbours as

select distinct
    least(subjects.number, objects.number) as one,
    greatest(subjects.number, objects.number) as other
from facts
inner join linkable_entities as subjects on facts.subject = subjects.id
inner join linkable_entities as objects on facts.object = objects.id;
