-- The answers of each question key, with all their forms.
--
-- reads:   keyed_facts, question_keys (key_number, subject, qualifier_key)
-- writes:  key_answers, one row per question key, object and form
-- params:  none
--
-- The best known object comes first; PAQ's tools score only the first answer of a pair.

create or replace table key_answers as

with objects as (
    select
        key_number,
        object,
        any_value(forms) as forms,
        min(place) as place,
        row_number() over (partition by key_number order by max(object_popularity) desc, object) as object_rank
    from keyed_facts
    join question_keys using (subject, qualifier_key)
    where refusal is null
    group by key_number, object
)

select
    key_number,
    object_rank,
    object,
    place,
    unnest(range(1, len(forms) + 1)) as form_rank,
    unnest(forms) as answer
from objects
order by key_number, object_rank, form_rank;
