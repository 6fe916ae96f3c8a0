-- The names by which each question key of a bucket is asked about, and what became of names that others have too.
--
-- reads:   asked (same_name), question_keys (the key and its qualifiers), names, lesser_names, subject_hints (subject_id, hint)
-- writes:  subject_names, one row per question key and name; `refusal` as in keyed_facts
-- params:  none
--
-- With the policy `hint` names that another subject has a better claim to get a hint in brackets behind them; those that
-- have none are merged. With `drop` they are left out.

create or replace table subject_names as

select
    names.key_number,
    names.name_number,
    names.name as plain_name,
    if(asked.same_name = 'hint' and subject_hints.hint is not null, names.name || ' (' || subject_hints.hint || ')', names.name)
        as name,
    question_keys.description,
    question_keys.qualifier_texts,
    question_keys.subject,
    if(asked.same_name = 'drop' and lesser_names.key_number is not null, 'another subject has a better claim to the name', null)
        as refusal
from names
join question_keys using (bucket, key_number)
left join lesser_names using (bucket, key_number, name_number)
left join subject_hints on subject_hints.subject_id = lesser_names.subject_id
cross join asked;
