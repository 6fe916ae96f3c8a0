-- The first pairs with these questions.
--
-- reads:   corpus_rows (the rows of a version, with `filename`), wanted (text)
-- writes:  pairs_that_ask, one row per pair, with `filename`
-- params:  $most

create or replace table pairs_that_ask as

select *
from corpus_rows
where question in (select text from wanted)
order by qa_id, filename
limit $most;
