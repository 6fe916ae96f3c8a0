-- What can be asked: one row per question key, best known subject first, and of one subject the best known qualifiers.
--
-- reads:   keyed_facts
-- writes:  question_keys, one row per (subject, qualifier_key); `key_number` counts them
-- params:  none

create or replace table question_keys as

select
    row_number() over (order by max(popularity) desc, subject, max(qualifier_popularity) desc, qualifier_key) as key_number,
    subject,
    qualifier_key,
    any_value(subject_label) as subject_label,
    any_value(description) as description,
    any_value(qualifier_texts) as qualifier_texts,
    max(popularity) as popularity,
    any_value(wikipedia_title) as wikipedia_title
from keyed_facts
where refusal is null
group by subject, qualifier_key
order by key_number;
