-- The answers of the question keys that several facts answer: their objects, best known first, and all their forms.
--
-- reads:   keyed_facts, crowded_keys
-- adds to: key_answers, one row per crowded key of the bucket
-- params:  bucket, n_buckets
--
-- The best known object comes first; PAQ's tools score only the first answer of a pair. An alias may be the name of
-- another object, or no name at all; the labels of all objects come before any of them. Of facts with the same object
-- the first place counts.
--
-- Lists in the making cannot be spilled to disk, so there are as many buckets of subjects as keep them small.

insert into key_answers

with gathered as (
    select
        keyed_facts.subject_id,
        keyed_facts.qualifier_number,
        list_sort(list({
            'rank': -keyed_facts.object_popularity,
            'object': keyed_facts.object,
            'place': keyed_facts.place,
            'forms': keyed_facts.forms
        })) as facts
    from keyed_facts
    semi join crowded_keys using (subject_id, qualifier_number)
    where keyed_facts.refusal is null and hash(keyed_facts.subject_id) % $n_buckets = $bucket
    group by all
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
