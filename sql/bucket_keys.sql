-- How many answers the question keys of a bucket have.
--
-- reads:   bucket_facts (of weighed_facts)
-- writes:  bucket_keys, one row per shard and question key
-- params:  none

create or replace table bucket_keys as

with answers as (
    select
        shard,
        subject,
        key,
        answer,
        bool_or(is_labelled) as is_labelled,
        any_value(name) as name,
        any_value(popularity) as popularity,
        bool_or(is_given) as is_given,
        any_value(sitelinks) as sitelinks,
        bool_or(is_linked) as is_linked
    from bucket_facts
    group by shard, subject, key, answer
)

select
    shard,
    subject,
    key,
    count(*) as n_answers,
    count(*) filter (where is_labelled) as n_labelled,
    any_value(name) as name,
    any_value(popularity) as popularity,
    bool_or(is_given) as is_given,
    any_value(sitelinks) as sitelinks,
    bool_or(is_linked) as is_linked
from answers
group by shard, subject, key;
