-- What can be asked of a bucket: one row per question key, with its names and its answers.
--
-- reads:   keyed_facts, key_answers (the keys of several facts), named_qualifiers (qualifier_number, key, texts)
-- writes:  question_keys, one row per (subject_id, qualifier_number)
-- params:  $bucket
--
-- `rank` orders keys: best known subject first, and of one subject the best known qualifiers.

create or replace table question_keys as

with answered as (
    select
        keyed_facts.subject_id,
        keyed_facts.qualifier_number,
        keyed_facts.subject_label,
        keyed_facts.popularity,
        keyed_facts.wikipedia_title,
        keyed_facts.subject_aliases,
        keyed_facts.description,
        keyed_facts.forms[1:1] as first_forms,
        list_filter(keyed_facts.forms[2:], lambda form: is_answer_form(form)) as other_forms,
        [keyed_facts.object] as objects,
        [keyed_facts.place] as places,
        0 as n_repeated
    from keyed_facts
    anti join key_answers using (subject_id, qualifier_number)
    where keyed_facts.refusal is null

    union all by name

    from key_answers
),

qualifiers as (
    select qualifier_number, any_value(key) as key, any_value(texts) as texts
    from named_qualifiers
    group by qualifier_number
)

select
    answered.*,
    $bucket as bucket,
    {'popularity': -answered.popularity, 'subject': answered.subject_id, 'qualifiers': answered.qualifier_number}
        as rank,
    entity_text(answered.subject_id) as subject,
    coalesce(qualifiers.key, []) as qualifier_key,
    coalesce(qualifiers.texts, []) as qualifier_texts
from answered
left join qualifiers using (qualifier_number);
