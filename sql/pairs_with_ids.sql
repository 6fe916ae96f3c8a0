-- The pairs with these ids.
--
-- reads:   corpus_rows (the rows of a version, with `filename`), wanted (text)
-- writes:  pairs_with_ids, one row per pair, with `filename`
-- params:  none

create or replace table pairs_with_ids as

select *
from corpus_rows
where qa_id in (select text from wanted)
order by qa_id, filename;
