-- What writing a shard changes in the corpus.
--
-- reads:   old_rows and new_rows (qa_id, question, answer)
-- writes:  shard_changes, one row: n_added, n_changed, n_retired, n_unchanged
-- params:  none
--
-- A pair is changed when its question or its answers are, not when only its place in the dump is.

create or replace table shard_changes as

select
    count(*) filter (where old_rows.qa_id is null) as n_added,
    count(*) filter (
        where old_rows.question <> new_rows.question or old_rows.answer <> new_rows.answer
    ) as n_changed,
    count(*) filter (where new_rows.qa_id is null) as n_retired,
    count(*) filter (
        where old_rows.question = new_rows.question and old_rows.answer = new_rows.answer
    ) as n_unchanged
from old_rows
full join new_rows using (qa_id);
