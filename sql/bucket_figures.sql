-- What can be added up over all buckets.
--
-- reads:   bucket_subjects
-- writes:  bucket_figures, a view, one row per shard
-- params:  none
--
-- A subject is ambiguous if another one of the shard has its label, whatever the case: their questions are the same.

create or replace view bucket_figures as

with names as (
    select shard, count(*) as n_subjects
    from bucket_subjects
    where name is not null
    group by shard, name
),

ambiguous as (
    select
        shard,
        sum(n_subjects)::bigint as n_named,
        coalesce(sum(n_subjects) filter (where n_subjects > 1), 0)::bigint as n_ambiguous
    from names
    group by shard
),

subjects as (
    select
        shard,
        count(*) as n_subjects,
        sum(n_keys)::bigint as n_keys,
        sum(n_facts)::bigint as n_facts,
        sum(n_labelled)::bigint as n_labelled,
        max(max_answers) as max_answers,
        count(sitelinks) as n_with_sitelinks,
        bool_or(is_given) as is_given,
        count(*) filter (where is_linked) as n_linked_subjects,
        coalesce(sum(n_keys) filter (where is_linked), 0)::bigint as n_linked_keys,
        coalesce(sum(n_facts) filter (where is_linked), 0)::bigint as n_linked_facts,
        max(max_answers) filter (where is_linked) as max_linked_answers
    from bucket_subjects
    group by shard
)

select subjects.*, coalesce(ambiguous.n_named, 0) as n_named, coalesce(ambiguous.n_ambiguous, 0) as n_ambiguous
from subjects
left join ambiguous using (shard);
