-- The rendered questions of a bucket with their answers.
--
-- reads:   rendered (key_number, name_number, plain_name, name, subject_form, wording_number, question), question_keys,
--          repeated_questions
-- writes:  answered_questions, a view, one row per rendered question; `is_repeated` where another one may be equal
-- params:  none

create or replace view answered_questions as

select
    rendered.* exclude (key_number),
    question_keys.* exclude (bucket, key_number, subject_aliases, description, qualifier_texts, n_repeated),
    repeated_questions.question_hash is not null as is_repeated
from rendered
join question_keys using (key_number)
left join repeated_questions on repeated_questions.question_hash = hash(rendered.question);
