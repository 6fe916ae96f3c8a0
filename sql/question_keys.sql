-- What can be asked: one row per question key, with its names and its answers.
--
-- reads:   asked (wants_aliases), key_answers, entities (id, label, aliases, popularity, wikipedia_title),
--          subject_descriptions (id, description), named_qualifiers (qualifier_number, key, texts)
-- writes:  question_keys, one row per (subject_id, qualifier_number); later tables know it by its rowid, `key_number`
-- params:  none
--
-- `rank` orders keys: best known subject first, and of one subject the best known qualifiers.

create or replace table question_keys as

with qualifiers as (
    select qualifier_number, any_value(key) as key, any_value(texts) as texts
    from named_qualifiers
    group by qualifier_number
)

select
    key_answers.*,
    {'popularity': -entities.popularity, 'subject': key_answers.subject_id, 'qualifiers': key_answers.qualifier_number}
        as rank,
    entity_text(key_answers.subject_id) as subject,
    entities.label as subject_label,
    entities.popularity,
    entities.wikipedia_title,
    if(asked.wants_aliases, entities.aliases, []) as subject_aliases,
    subject_descriptions.description,
    coalesce(qualifiers.key, []) as qualifier_key,
    coalesce(qualifiers.texts, []) as qualifier_texts
from key_answers
join entities on entities.id = key_answers.subject_id
left join subject_descriptions on subject_descriptions.id = key_answers.subject_id
left join qualifiers using (qualifier_number)
cross join asked;
