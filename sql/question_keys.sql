-- What can be asked: one row per question key, with its names and its answers.
--
-- reads:   asked (wants_aliases), keyed_facts, key_answers (the keys of several facts), entities (id, label, aliases,
--          popularity, wikipedia_title), subject_descriptions (id, description), named_qualifiers (qualifier_number,
--          key, texts)
-- writes:  question_keys, one row per (subject_id, qualifier_number); later tables know it by its rowid, `key_number`
-- params:  none
--
-- `rank` orders keys: best known subject first, and of one subject the best known qualifiers.

create or replace table question_keys as

with answered as (
    select
        keyed_facts.subject_id,
        keyed_facts.qualifier_number,
        keyed_facts.forms[1:1] as first_forms,
        list_filter(keyed_facts.forms[2:], lambda form: is_useful_form(form)) as other_forms,
        [keyed_facts.object] as objects,
        [keyed_facts.place] as places
    from keyed_facts
    anti join key_answers using (subject_id, qualifier_number)
    where keyed_facts.refusal is null

    union all

    from key_answers
),

qualifiers as (
    select qualifier_number, any_value(key) as key, any_value(texts) as texts
    from named_qualifiers
    group by qualifier_number
)

select
    answered.*,
    {'popularity': -entities.popularity, 'subject': answered.subject_id, 'qualifiers': answered.qualifier_number}
        as rank,
    entity_text(answered.subject_id) as subject,
    entities.label as subject_label,
    entities.popularity,
    entities.wikipedia_title,
    if(asked.wants_aliases, entities.aliases, []) as subject_aliases,
    subject_descriptions.description,
    coalesce(qualifiers.key, []) as qualifier_key,
    coalesce(qualifiers.texts, []) as qualifier_texts
from answered
join entities on entities.id = answered.subject_id
left join subject_descriptions on subject_descriptions.id = answered.subject_id
left join qualifiers using (qualifier_number)
cross join asked;
