-- The staged facts of one predicate at some places, with ids as text.
--
-- reads:   facts (of one predicate), wanted (text)
-- writes:  facts_at_places, one row per fact
-- params:  none
--
-- All facts of the predicate are read. facts_of_ids.sql reads less, where the subjects are known.

create or replace table facts_at_places as

select
    entity_text(subject) as subject,
    predicate_text(predicate) as predicate,
    coalesce(entity_text(object), value) as object,
    [[q.name, coalesce(entity_text(q.object), q.value)] for q in coalesce(qualifiers, [])] as qualifiers,
    place_text(place) as place
from facts
where place_text(place) in (select text from wanted)
order by all;
