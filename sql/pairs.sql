-- Question-answer pairs: rendered questions with their answers, equal questions merged.
--
-- reads:   asked (shard), wordings (wording_number, wording), question_keys,
--          rendered (key_number, name_number, plain_name, name, subject_form, wording_number, question)
-- writes:  pairs, one row per question of the shard
-- params:  none
--
-- Two subjects with the same name give the same question. Their pairs are merged: the better known subject gives the
-- pair its identity and its answers come first. First forms of all objects stand before any other form.
--
-- An identity is that of the question key, and of the name where it is not the subject's label.
--
-- Nearly all questions are the only ones of their kind, which numbers tell fastest: only those whose hash stands twice
-- are compared as texts.

create or replace table pairs as

with repeated as (
    select hash(question) as question_hash
    from rendered
    group by question_hash
    having count(*) > 1
),

unrepeated as (
    select
        rendered.*,
        1 as n_keys,
        null::varchar[] as forms,
        null::varchar[] as objects,
        null::varchar[] as places
    from rendered
    anti join repeated on repeated.question_hash = hash(rendered.question)
),

candidates as (
    select rendered.*, question_keys.rank
    from rendered
    semi join repeated on repeated.question_hash = hash(rendered.question)
    join question_keys on question_keys.rowid = rendered.key_number
),

foremost as (
    select
        question,
        arg_min(key_number, {'rank': rank, 'name': name_number, 'wording': wording_number}) as key_number,
        arg_min(name_number, {'rank': rank, 'name': name_number, 'wording': wording_number}) as name_number,
        arg_min(wording_number, {'rank': rank, 'name': name_number, 'wording': wording_number}) as wording_number
    from candidates
    group by question
),

merged_keys as (
    select distinct question, key_number, rank
    from candidates
),

merged_answers as (
    select
        merged_keys.question,
        count(*) as n_keys,
        flatten(list(question_keys.first_forms order by merged_keys.rank)) as first_forms,
        flatten(list(question_keys.other_forms order by merged_keys.rank)) as other_forms,
        flatten(list(question_keys.objects order by merged_keys.rank)) as objects,
        flatten(list(question_keys.places order by merged_keys.rank)) as places
    from merged_keys
    join question_keys on question_keys.rowid = merged_keys.key_number
    group by merged_keys.question
),

merged as (
    select
        rendered.*,
        merged_answers.n_keys,
        merged_answers.first_forms || merged_answers.other_forms as forms,
        merged_answers.objects,
        merged_answers.places
    from rendered
    semi join foremost using (question, key_number, name_number, wording_number)
    join merged_answers using (question)
),

answered as (
    select
        chosen.* exclude (forms, objects, places),
        coalesce(chosen.forms, question_keys.first_forms || question_keys.other_forms) as forms,
        coalesce(chosen.objects, question_keys.objects) as objects,
        coalesce(chosen.places, question_keys.places) as places,
        question_keys.subject,
        question_keys.qualifier_key,
        question_keys.subject_label,
        question_keys.popularity,
        question_keys.wikipedia_title
    from (from unrepeated union all from merged) as chosen
    join question_keys on question_keys.rowid = chosen.key_number
)

select
    qa_id(
        asked.shard,
        wordings.wording,
        [answered.subject] || answered.qualifier_key || if(answered.name_number = 0, [], [answered.plain_name])
    ) as qa_id,
    answered.question,
    case
        when len(answered.forms) = 1 or list_unique(answered.forms) = len(answered.forms) then answered.forms
        else list_filter(answered.forms, lambda form, i: list_position(answered.forms, form) = i)
    end as answer,
    wordings.wording,
    answered.subject,
    answered.subject_label,
    answered.name as subject_name,
    answered.objects,
    answered.popularity,
    answered.places,
    answered.wikipedia_title,
    answered.subject_form,
    answered.n_keys
from answered
join wordings using (wording_number)
cross join asked;
