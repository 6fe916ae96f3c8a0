-- Question-answer pairs: rendered questions with their answers, equal questions merged.
--
-- reads:   asked, rendered (key_number, wording_number, wording, question), question_keys, key_answers
-- writes:  pairs, one row per question of the shard
-- params:  none
--
-- Two subjects with the same name give the same question. Their pairs are merged: the better known subject gives the
-- pair its identity and its answers come first. First forms of all objects stand before any other form.

create or replace table pairs as

with answered as (
    select
        question,
        answer,
        min([least(form_rank, 2), key_number, object_rank, form_rank]) as answer_rank
    from rendered
    join key_answers using (key_number)
    group by question, answer
),

answer_lists as (
    select question, list(answer order by answer_rank) as answer
    from answered
    group by question
),

evidence as (
    select question, object, place, min([key_number, object_rank]) as rank
    from rendered
    join key_answers using (key_number)
    group by question, object, place
),

evidence_lists as (
    select question, list(object order by rank, object) as objects, list(place order by rank, place) as places
    from evidence
    group by question
),

foremost as (
    select
        question,
        arg_min(key_number, [key_number, wording_number]) as key_number,
        arg_min(wording, [key_number, wording_number]) as wording,
        arg_min(subject_form, [key_number, wording_number]) as subject_form,
        count(distinct key_number) as n_keys
    from rendered
    group by question
)

select
    qa_id(asked.shard, foremost.wording, [question_keys.subject] || question_keys.qualifier_key) as qa_id,
    foremost.question,
    answer_lists.answer,
    foremost.wording,
    question_keys.subject,
    question_keys.subject_label,
    evidence_lists.objects,
    question_keys.popularity,
    evidence_lists.places,
    question_keys.wikipedia_title,
    foremost.subject_form,
    foremost.n_keys
from foremost
join question_keys using (key_number)
join answer_lists using (question)
join evidence_lists using (question)
cross join asked
order by qa_id;
