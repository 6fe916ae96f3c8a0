-- The first pairs whose id begins like this.
--
-- reads:   corpus_rows (the rows of a version, with `filename`)
-- writes:  pairs_between, one row per pair, with `filename`
-- params:  $low, what the ids begin with; $high, the least text above all of them; $most
--
-- Rows are sorted by id, so a range is a small read; a pattern would be compared with each id.

create or replace table pairs_between as

select *
from corpus_rows
where qa_id >= $low and qa_id < $high
order by qa_id, filename
limit $most;
