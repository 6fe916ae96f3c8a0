-- The types in templates that no staged subject of their predicate has, nor any subclass of them.
--
-- reads:   template_types (shard, predicate, inverse, type), facts (predicate, subject, object), entities (id, types)
-- writes:  unmatched_types, one row per shard and type; shards without a staged fact are left out
-- params:  $subclass_of, the predicate that leads from a class to a larger one, or null

create or replace table unmatched_types as

with recursive below as (
    select distinct type as root, type
    from template_types

    union

    select below.root, entity_text(facts.subject) as type
    from below
    join facts on entity_text(facts.object) = below.type
    where facts.predicate = $subclass_of
),

typed_shards as (
    select distinct shard, predicate, inverse
    from template_types
),

subjects as (
    select distinct typed_shards.shard, if(typed_shards.inverse, facts.object, facts.subject) as id
    from typed_shards
    join facts on facts.predicate = typed_shards.predicate
),

counted as (
    select shard, count(*) as n_subjects
    from subjects
    where id is not null
    group by shard
),

typed as (
    select id, unnest(types) as type
    from entities
    semi join subjects on subjects.id = entities.id
),

matched as (
    select distinct subjects.shard, below.root
    from subjects
    join typed on typed.id = subjects.id
    join below on below.type = typed.type
)

select template_types.shard, template_types.type, counted.n_subjects
from template_types
join counted on counted.shard = template_types.shard
anti join matched on matched.shard = template_types.shard and matched.root = template_types.type
order by template_types.shard, template_types.type;
