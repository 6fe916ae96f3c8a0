-- What is said about entities that occur in facts. Dump files name millions that do not.
--
-- reads:   all_about (id, role, text, number, position)
-- writes:  raw_about, a view with the same columns
-- params:  none

create or replace view raw_about as

select *
from all_about
where id in (select id from all_about where role in ('statements', 'pointers'));
