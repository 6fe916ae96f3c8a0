-- What can be asked: one row per question key, best known subject first, and of one subject the best known qualifiers.
--
-- reads:   keyed_facts
-- writes:  question_keys, one row per (subject, qualifier_key); `key_number` counts them
-- params:  none

create or replace table question_keys as

with keys as (
    select
        subject_id,
        entity_text(subject_id) as subject,
        qualifier_key,
        any_value(subject_label) as subject_label,
        any_value(description) as description,
        any_value(qualifier_texts) as qualifier_texts,
        max(popularity) as popularity,
        max(qualifier_popularity) as qualifier_popularity
    from keyed_facts
    where refusal is null
    group by subject_id, qualifier_key
)

select
    row_number() over (order by popularity desc, subject, qualifier_popularity desc, qualifier_key) as key_number,
    * exclude (qualifier_popularity)
from keys;
