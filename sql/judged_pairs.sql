-- The values that may answer a question about a date or an amount, which only code can compare.
--
-- reads:   asked (question, id), judged_questions (question), gap_facts (entity, kind, value)
-- writes:  judged_pairs, one row per question, kind and value
-- params:  none

create or replace table judged_pairs as

select distinct asked.question, gap_facts.kind, gap_facts.value
from asked
semi join judged_questions on judged_questions.question = asked.question
join gap_facts on gap_facts.entity = asked.id
where gap_facts.value is not null
order by asked.question, gap_facts.kind, gap_facts.value;
