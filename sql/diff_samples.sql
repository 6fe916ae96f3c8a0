-- The pairs that stand for each kind of change between two versions of the corpus.
--
-- reads:   shard_diff (kind, first_ids), old_rows and new_rows (qa_id, question, answer)
-- writes:  diff_samples: kind, the new question and answers, and the old ones
-- params:  none

create or replace table diff_samples as

with shown as (
    select kind, unnest(first_ids) as qa_id from shard_diff
),

earlier as (
    select * from old_rows where qa_id in (select qa_id from shown)
),

later as (
    select * from new_rows where qa_id in (select qa_id from shown)
)

select
    shown.kind,
    later.question,
    later.answer,
    earlier.question as old_question,
    earlier.answer as old_answer
from shown
left join later using (qa_id)
left join earlier using (qa_id)
order by shown.kind, shown.qa_id;
