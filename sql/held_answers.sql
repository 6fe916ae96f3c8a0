-- The questions of which some pair has a gold answer as its first, and whether a pair of an imported base has.
--
-- reads:   corpus_rows (shard_number, answer), base_shards (shard_number), gold_forms (question, form), normal_answer
-- writes:  held_answers, one row per question
-- params:  none

create or replace table held_answers as

with answers as (
    select distinct corpus_rows.answer[1] as answer, base_shards.shard_number is not null as is_base
    from corpus_rows
    left join base_shards using (shard_number)
),

forms as (
    select normal_answer(answer) as form, bool_or(is_base) as is_in_base
    from answers
    group by form
)

select gold_forms.question, bool_or(forms.is_in_base) as is_in_base
from gold_forms
join forms using (form)
group by gold_forms.question
order by gold_forms.question;
