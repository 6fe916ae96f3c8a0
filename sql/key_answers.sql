-- The answers of each question key: its objects, best known first, and all their forms.
--
-- reads:   keyed_facts, question_keys (key_number, subject_id, qualifier_key)
-- writes:  key_answers, one row per question key: `first_forms`, one an object, `other_forms`, `objects` and `places`
-- params:  none
--
-- The best known object comes first; PAQ's tools score only the first answer of a pair. An alias may be the name of
-- another object, or no name at all; the labels of all objects come before any of them.

create or replace table key_answers as

with objects as (
    select
        key_number,
        object,
        arg_min(forms, place) as forms,
        min(place) as place,
        max(object_popularity) as object_popularity
    from keyed_facts
    join question_keys using (subject_id, qualifier_key)
    where refusal is null
    group by key_number, object
)

select
    key_number,
    list(forms[1] order by object_popularity desc, object) as first_forms,
    flatten(list(
        list_filter(forms[2:], lambda form: regexp_matches(form, '[\p{L}\p{N}]') and not regexp_matches(form, '[\x00-\x1f\x7f]') and length(form) <= 300)
        order by object_popularity desc, object
    )) as other_forms,
    list(object order by object_popularity desc, object) as objects,
    list(place order by object_popularity desc, object) as places
from objects
group by key_number;
