-- Which questions could be asked about an entity: it is the subject of a predicate, or of an inverse one the object.
--
-- reads:   facts, linkable_entities (number, id), asked_roles (role, predicate, inverse)
-- writes:  linked_roles, one row per entity and role
-- params:  none

create or replace table linked_roles as

select distinct linkable_entities.number, asked_roles.role
from facts
inner join asked_roles using (predicate)
inner join linkable_entities
    on linkable_entities.id = case when asked_roles.inverse then facts.object else facts.subject end;
