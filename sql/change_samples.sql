-- A few of the pairs that writing a shard adds, changes and retires.
--
-- reads:   old_rows and new_rows (qa_id, question, answer)
-- writes:  change_samples, at most $n rows of each kind: kind, the new question and best answer, and the old ones
-- params:  $n

create or replace table change_samples as

with changed as (
    select
        case
            when old_rows.qa_id is null then 'added'
            when new_rows.qa_id is null then 'retired'
            else 'changed'
        end as kind,
        qa_id,
        new_rows.question,
        new_rows.answer,
        old_rows.question as old_question,
        old_rows.answer as old_answer
    from old_rows
    full join new_rows using (qa_id)
    where old_rows.question is distinct from new_rows.question or old_rows.answer is distinct from new_rows.answer
)

select kind, question, answer, old_question, old_answer
from changed
qualify row_number() over (partition by kind order by qa_id) <= $n
order by kind, qa_id;
