-- What some entities are called.
--
-- reads:   entities (id, label, aliases), wanted_ids (id, as it is stored)
-- writes:  names_of_ids, one row per entity that is staged
-- params:  none

create or replace table names_of_ids as

select entity_text(id) as id, label, aliases
from entities
where id in (select id from wanted_ids)
order by id;
