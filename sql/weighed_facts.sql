-- The facts of each shard with what is known about their subjects, in numbers only.
--
-- reads:   candidate_facts, entities (id, label, popularity, n_statements, in_degree, sitelinks), linked_entities (id),
--          parts (n_parts)
-- writes:  weighed_facts, a view, one row per shard and fact
-- params:  none
--
-- Ids, names, keys and answers are 64-bit hashes: what follows only compares them. Subjects of one name come into one
-- bucket, so that each bucket can be counted for itself; those without a name go by their ids.

create or replace view weighed_facts as

with known as (
    select
        id,
        if(label is null, null, hash(lower(label))) as name,
        popularity,
        popularity <> n_statements + in_degree as is_given,
        sitelinks,
        id in (select id from linked_entities) as is_linked
    from entities
),

labelled as (
    select id
    from entities
    where label is not null
)

select
    facts.shard,
    hash(facts.subject) as subject,
    hash(facts.key) as key,
    hash(facts.object, facts.value) as answer,
    known.name is not null and (facts.object is null or labelled.id is not null) as is_labelled,
    known.name,
    known.popularity,
    coalesce(known.is_given, false) as is_given,
    known.sitelinks,
    coalesce(known.is_linked, false) as is_linked,
    coalesce(known.name, hash(facts.subject)) % parts.n_parts as bucket
from candidate_facts as facts
left join known on known.id = facts.subject
left join labelled on labelled.id = facts.object
cross join parts;
