-- The facts of a snapshot in the order in which they are read again: one predicate is one run of rows.
--
-- reads:   raw_facts (predicate, subject, object, value, kind, lang, qualifiers, place)
-- writes:  staged_facts, a view with the same columns, one row per fact
-- params:  none

create or replace view staged_facts as

select *
from raw_facts
order by all;
