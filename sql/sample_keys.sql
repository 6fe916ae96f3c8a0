-- Question keys with the most answers, in the names of what they are made of.
--
-- reads:   all_crowded_keys (of crowded_keys), candidate_facts, candidate_shards, entities (id, label)
-- writes:  sample_keys, at most $n_samples rows per shard, the one with the most answers first
-- params:  $n_samples
--
-- What has no name is called by its id.

create or replace table sample_keys as

with crowded as (
    from all_crowded_keys
    qualify row_number() over (partition by shard order by n_answers desc, subject, key) <= $n_samples
),

found as (
    select
        crowded.shard,
        crowded.subject as subject_hash,
        crowded.key as key_hash,
        any_value(crowded.n_answers) as n_answers,
        any_value(facts.subject) as subject,
        any_value(facts.key) as key
    from candidate_facts as facts
    join crowded
        on crowded.shard = facts.shard
        and crowded.subject = hash(facts.subject)
        and crowded.key = hash(facts.key)
    group by crowded.shard, crowded.subject, crowded.key
),

pieces as (
    select shard, subject_hash, key_hash, n_answers, 0 as position, subject as object, null::varchar as value
    from found

    union all

    select shard, subject_hash, key_hash, n_answers, said.position, key[said.position].object, key[said.position].value
    from found
    cross join unnest(range(1, len(key) + 1)) as said(position)
)

select
    predicate_text(candidate_shards.predicate) as predicate,
    candidate_shards.variant,
    list(coalesce(entities.label, entity_text(pieces.object), pieces.value) order by pieces.position) as names,
    any_value(pieces.n_answers) as n_answers
from pieces
join candidate_shards using (shard)
left join entities on entities.id = pieces.object
group by pieces.shard, candidate_shards.predicate, candidate_shards.variant, pieces.subject_hash, pieces.key_hash
order by pieces.shard, n_answers desc, names;
