-- The milled pairs about the best known subjects.
--
-- reads:   milled_pairs
-- writes:  best_known_pairs, at most $n rows, the best known first
-- params:  $n

create or replace table best_known_pairs as

select *
from milled_pairs
order by popularity desc, qa_id
limit $n;
