-- The shards that could be milled: each template's, and each predicate that has no template.
--
-- reads:   facts (predicate), template_keys (predicate, variant, qualifiers, answer, inverse)
-- writes:  candidate_shards, one row per shard; n_facts is of its predicate
-- params:  none

create or replace table candidate_shards as

with predicates as (
    select predicate, count(*) as n_facts
    from facts
    group by predicate
)

select
    row_number() over (order by predicates.predicate, template_keys.variant nulls first)::integer as shard,
    predicates.predicate,
    template_keys.variant,
    coalesce(template_keys.qualifiers, []) as qualifiers,
    template_keys.answer,
    coalesce(template_keys.inverse, false) as inverse,
    predicates.n_facts
from predicates
left join template_keys on template_keys.predicate = predicates.predicate;
