-- The subjects that are like those which questions mention.
--
-- reads:   facts (subject), entities (id, types, popularity), mentioned (id)
-- writes:  learned_subjects (subject), one row per entity
-- params:  $kept_share, the share of mentioned subjects that are to be held; $smoothing, how many subjects like all
--          others are added to those of each type and of each popularity
--
-- What popularity and types say for being mentioned is added up as logarithms of odds; of several types the mean
-- counts. The limit is where the wanted share of the mentioned subjects lies above it, so the questions decide how wide
-- the view is, and single ones decide nothing.

create or replace table learned_subjects as

with subjects as (
    select
        entities.id,
        floor(log2(1 + greatest(entities.popularity, 0)))::integer as magnitude,
        entities.types,
        (entities.id in (select id from mentioned))::integer as is_mentioned
    from entities
    semi join facts on facts.subject = entities.id
),

everything as (
    select greatest(avg(is_mentioned), 1e-9) as share
    from subjects
),

magnitudes as (
    select
        magnitude,
        ln((sum(is_mentioned) + $smoothing * any_value(share)) / (sum(1 - is_mentioned) + $smoothing)) as said
    from subjects
    cross join everything
    group by magnitude
),

types as (
    select
        type,
        ln((sum(is_mentioned) + $smoothing * any_value(share)) / (sum(1 - is_mentioned) + $smoothing))
            - ln(any_value(share)) as said
    from (select is_mentioned, unnest(types) as type from subjects)
    cross join everything
    group by type
),

said_by_types as (
    select typed.id, avg(types.said) as said
    from (select id, unnest(types) as type from subjects) as typed
    join types using (type)
    group by typed.id
),

scored as (
    select
        subjects.id,
        subjects.is_mentioned,
        round(magnitudes.said + coalesce(said_by_types.said, 0), 6) as score
    from subjects
    join magnitudes using (magnitude)
    left join said_by_types using (id)
),

border as (
    select quantile_disc(score, 1 - $kept_share::double) as score
    from scored
    where is_mentioned = 1
)

select entity_text(scored.id) as subject
from scored
join border on scored.score >= border.score;
