-- The answers of the question keys that several facts answer: their objects, best known first, and all their forms.
--
-- reads:   crowded_facts
-- writes:  bucket_answers, one row per key of the bucket: `first_forms`, one an object, `other_forms`, `objects`, `places`
-- params:  $bucket, $n_buckets
--
-- The best known object comes first; PAQ's tools score only the first answer of a pair. An alias may be the name of
-- another object, or no name at all; the labels of all objects come before any of them. Of facts with the same object
-- the first place counts.
--
-- Lists in the making cannot be spilled to disk, so there are as many buckets of subjects as keep them small.

create or replace table bucket_answers as

with gathered as (
    select
        subject_id,
        qualifier_number,
        list_sort(list({'rank': -object_popularity, 'object': object, 'place': place, 'forms': forms})) as facts
    from crowded_facts
    where hash(subject_id) % $n_buckets = $bucket
    group by subject_id, qualifier_number
),

distinct_objects as (
    select
        subject_id,
        qualifier_number,
        list_filter(facts, lambda fact, i: i = 1 or fact.object <> facts[i - 1].object) as facts
    from gathered
)

select
    subject_id,
    qualifier_number,
    [fact.forms[1] for fact in facts] as first_forms,
    list_filter(flatten([fact.forms[2:] for fact in facts]), lambda form: is_useful_form(form)) as other_forms,
    [fact.object for fact in facts] as objects,
    [fact.place for fact in facts] as places
from distinct_objects;
