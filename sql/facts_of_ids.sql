-- The staged facts of one predicate about some entities, with ids as text.
--
-- reads:   facts (of one predicate), wanted_ids (id, as it is stored)
-- writes:  facts_of_ids, one row per fact
-- params:  none

create or replace table facts_of_ids as

select
    entity_text(subject) as subject,
    predicate_text(predicate) as predicate,
    coalesce(entity_text(object), value) as object,
    [[q.name, coalesce(entity_text(q.object), q.value)] for q in coalesce(qualifiers, [])] as qualifiers,
    place_text(place) as place
from facts
where subject in (select id from wanted_ids)
order by all;
