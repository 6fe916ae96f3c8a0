-- The subjects of a bucket.
--
-- reads:   bucket_keys
-- writes:  bucket_subjects, one row per shard and subject
-- params:  none

create or replace table bucket_subjects as

select
    shard,
    subject,
    count(*) as n_keys,
    sum(n_answers)::bigint as n_facts,
    sum(n_labelled)::bigint as n_labelled,
    max(n_answers) as max_answers,
    any_value(name) as name,
    any_value(popularity) as popularity,
    bool_or(is_given) as is_given,
    any_value(sitelinks) as sitelinks,
    bool_or(is_linked) as is_linked
from bucket_keys
group by shard, subject;
