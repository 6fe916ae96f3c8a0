-- The questions that an imported base asks, too.
--
-- reads:   corpus_rows (shard_number, question), base_shards (shard_number), asked_questions (number, question),
--          asked_form
-- writes:  held_questions, one row per question
-- params:  none

create or replace table held_questions as

with base as (
    select distinct asked_form(corpus_rows.question) as form
    from corpus_rows
    semi join base_shards using (shard_number)
)

select asked_questions.number as question
from asked_questions
semi join base on base.form = asked_form(asked_questions.question)
order by question;
