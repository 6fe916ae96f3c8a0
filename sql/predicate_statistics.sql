-- How many answers does a question key have, for each shard that could be milled, and how well are its subjects known?
--
-- reads:   candidate_shards, all_bucket_figures, all_bucket_popularity, linked_entities (id),
--          repairs (predicate, variant, n_repairs)
-- writes:  predicate_statistics, one row per predicate and variant that has a template, or per predicate that has none
-- params:  none
--
-- Counts only; selected_predicates.sql decides. What is asked about a question set is null where there is none.
--
-- Popularity is the median of the shard's subjects: of their sitelinks where most of them have some, else of what the
-- source gives (IMDb's votes), else of the statements about and pointing to them.

create or replace table predicate_statistics as

with totals as (
    select
        shard,
        sum(n_facts)::bigint as n_facts,
        sum(n_keys)::bigint as n_keys,
        sum(n_subjects)::bigint as n_subjects,
        sum(n_labelled)::bigint as n_labelled,
        max(max_answers) as max_answers,
        sum(n_named)::bigint as n_named,
        sum(n_ambiguous)::bigint as n_ambiguous,
        sum(n_with_sitelinks) * 2 > sum(n_subjects) as by_sitelinks,
        bool_or(is_given) as is_given,
        sum(n_linked_subjects)::bigint as n_linked_subjects,
        sum(n_linked_keys)::bigint as n_linked_keys,
        sum(n_linked_facts)::bigint as n_linked_facts,
        max(max_linked_answers) as max_linked_answers
    from all_bucket_figures
    group by shard
),

popularities as (
    select popularity.shard, popularity.popularity, sum(popularity.n_subjects) as n_subjects
    from all_bucket_popularity as popularity
    join totals on totals.shard = popularity.shard and totals.by_sitelinks = popularity.by_sitelinks
    group by popularity.shard, popularity.popularity
),

ranked as (
    select
        shard,
        popularity,
        sum(n_subjects) over (partition by shard order by popularity) as n_up_to,
        sum(n_subjects) over (partition by shard) as n_all
    from popularities
),

medians as (
    select shard, min(popularity) as popularity
    from ranked
    where n_up_to * 2 >= n_all
    group by shard
),

question_set as (
    select count(*) > 0 as is_given
    from linked_entities
)

select
    candidate_shards.predicate,
    candidate_shards.variant,
    totals.n_facts,
    totals.n_keys,
    totals.n_subjects,
    totals.n_facts / totals.n_keys as mean_answers,
    totals.max_answers,
    totals.n_labelled / totals.n_facts as labelled_share,
    coalesce(totals.n_ambiguous / nullif(totals.n_named, 0), 0) as ambiguous_share,
    medians.popularity,
    case when totals.by_sitelinks then 'sitelinks' when totals.is_given then 'source' else 'statements' end
        as popularity_measure,
    if(question_set.is_given, totals.n_linked_subjects, null) as n_linked_subjects,
    if(question_set.is_given, totals.n_linked_subjects / totals.n_subjects, null) as linked_share,
    if(question_set.is_given, totals.n_linked_keys, null) as n_linked_keys,
    totals.n_linked_facts / nullif(totals.n_linked_keys, 0) as linked_mean_answers,
    totals.max_linked_answers as linked_max_answers,
    repairs.n_repairs
from totals
join candidate_shards using (shard)
cross join question_set
left join medians using (shard)
left join repairs
    on repairs.predicate = predicate_text(candidate_shards.predicate)
    and repairs.variant is not distinct from candidate_shards.variant
order by candidate_shards.predicate, candidate_shards.variant nulls first;
