-- The answers of the question keys that several facts answer: their objects, best known first, and all their forms.
--
-- reads:   keyed_facts
-- writes:  key_answers, one row per such key, with its subject's names: `first_forms`, one an object, `other_forms`, `objects`, `places`, and
--          `n_repeated`, the facts that say again what another one of the key says
-- params:  none
--
-- The best known object comes first; PAQ's tools score only the first answer of a pair. An alias may be the name of
-- another object, or no name at all; the labels of all objects come before any of them. Of facts with the same object
-- the first place counts.

create or replace table key_answers as

with crowded_keys as (
    select subject_id, qualifier_number
    from keyed_facts
    where refusal is null
    group by subject_id, qualifier_number
    having count(*) > 1
),

gathered as (
    select
        subject_id,
        qualifier_number,
        any_value(subject_label) as subject_label,
        any_value(popularity) as popularity,
        any_value(wikipedia_title) as wikipedia_title,
        any_value(subject_aliases) as subject_aliases,
        any_value(description) as description,
        list_sort(list({'rank': -object_popularity, 'object': object, 'place': place, 'forms': forms})) as facts
    from keyed_facts
    semi join crowded_keys using (subject_id, qualifier_number)
    where refusal is null
    group by subject_id, qualifier_number
),

distinct_objects as (
    select
        * exclude (facts),
        list_filter(facts, lambda fact, i: i = 1 or fact.object <> facts[i - 1].object) as facts,
        len(facts) as n_facts
    from gathered
)

select
    * exclude (facts, n_facts),
    [fact.forms[1] for fact in facts] as first_forms,
    list_filter(flatten([fact.forms[2:] for fact in facts]), lambda form: is_answer_form(form)) as other_forms,
    [fact.object for fact in facts] as objects,
    [fact.place for fact in facts] as places,
    n_facts - len(facts) as n_repeated
from distinct_objects;
