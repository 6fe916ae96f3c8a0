-- The staged entities of some English Wikipedia titles; of two with one title the better known.
--
-- reads:   entities, wanted_titles (title)
-- writes:  titled_entities, a view, one row per title that is found
-- params:  none

create or replace view titled_entities as

select
    wikipedia_title as title,
    arg_max(entity_text(id), (popularity, entity_text(id))) as entity,
    arg_max(coalesce(label, wikipedia_title), (popularity, entity_text(id))) as label
from entities
where wikipedia_title in (select title from wanted_titles)
group by wikipedia_title;
