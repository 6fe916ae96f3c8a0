-- Question-answer pairs: rendered questions with their answers, equal questions merged.
--
-- reads:   asked, wordings (wording_number, wording), rendered (key_number, name_number, wording_number, question),
--          name_forms, question_keys, key_answers, subject_names, subject_titles (id, wikipedia_title)
-- writes:  pairs, one row per question of the shard
-- params:  none
--
-- Two subjects with the same name give the same question. Their pairs are merged: the better known subject gives the
-- pair its identity and its answers come first. First forms of all objects stand before any other form.
--
-- An identity is that of the question key, and of the name where it is not the subject's label.

create or replace table pairs as

with foremost as (
    select
        question,
        min({'key': key_number, 'name': name_number, 'wording': wording_number}) as first,
        count(distinct key_number) as n_keys
    from rendered
    group by question
),

merged_keys as (
    select distinct question, key_number
    from rendered
    semi join (from foremost where n_keys > 1) as several using (question)
),

merged as (
    select
        question,
        flatten(list(first_forms order by key_number)) as first_forms,
        flatten(list(other_forms order by key_number)) as other_forms,
        flatten(list(objects order by key_number)) as objects,
        flatten(list(places order by key_number)) as places
    from merged_keys
    join key_answers using (key_number)
    group by question
),

answered as (
    select
        foremost.*,
        coalesce(merged.first_forms || merged.other_forms, key_answers.first_forms || key_answers.other_forms) as forms,
        coalesce(merged.objects, key_answers.objects) as objects,
        coalesce(merged.places, key_answers.places) as places
    from foremost
    join key_answers on key_answers.key_number = foremost.first.key
    left join merged using (question)
)

select
    qa_id(
        asked.shard,
        wordings.wording,
        [question_keys.subject] || question_keys.qualifier_key
            || if(answered.first.name = 0, [], [subject_names.plain_name])
    ) as qa_id,
    answered.question,
    if(
        list_unique(answered.forms) = len(answered.forms),
        answered.forms,
        list_filter(answered.forms, lambda form, i: list_position(answered.forms, form) = i)
    ) as answer,
    wordings.wording,
    question_keys.subject,
    question_keys.subject_label,
    subject_names.name as subject_name,
    answered.objects,
    question_keys.popularity,
    answered.places,
    subject_titles.wikipedia_title,
    name_forms.subject_form,
    answered.n_keys
from answered
join question_keys on question_keys.key_number = answered.first.key
join subject_names on subject_names.key_number = answered.first.key and subject_names.name_number = answered.first.name
join name_forms on name_forms.key_number = answered.first.key and name_forms.name_number = answered.first.name
join wordings on wordings.wording_number = answered.first.wording
left join subject_titles on subject_titles.id = question_keys.subject_id
cross join asked;
