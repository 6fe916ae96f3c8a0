-- Words that facts give away of an entity, such as "film" for what has a director.
--
-- reads:   facts, linked_entities (number, id), telling (predicate, is_subject, text)
-- writes:  linked_kinds, a view, one row per entity and text
-- params:  none

create or replace view linked_kinds as

select distinct linked_entities.number, telling.text
from facts
inner join telling using (predicate)
inner join linked_entities
    on linked_entities.id = case when telling.is_subject then facts.subject else facts.object end;
