-- The facts of a snapshot in the order in which they are read again: one predicate is one run of rows.
--
-- reads:   raw_facts (predicate, subject, object, value, kind, lang, qualifiers, place)
-- writes:  staged_facts, a view with the same columns, one row per fact
-- params:  none
--
-- What is said in several places is one fact, with the first of them.

create or replace view staged_facts as

select predicate, subject, object, value, kind, lang, qualifiers, min(place) as place
from raw_facts
group by predicate, subject, object, value, kind, lang, qualifiers
order by all;
