-- The facts of each shard that could be milled: what is asked about, the rest of the question key, and the answer.
--
-- reads:   facts (predicate, subject, object, value, qualifiers),
--          candidate_shards (shard, predicate, qualifiers, answer, inverse)
-- writes:  candidate_facts, a view, one row per shard and fact
-- params:  none
--
-- The question key is the subject and the qualifiers that the template names, so "who plays <character> in <film>" is
-- counted per film and character, and only in facts that name a character. Where a qualifier is the answer, it takes
-- the place of the object and the object is a qualifier named `object`, as in asked_facts.sql.
--
-- Most shards name no qualifier, and theirs are not read: they take longer than all else.

create or replace view candidate_facts as

with turned as (
    select
        shards.shard,
        facts.subject,
        list_filter(facts.qualifiers, lambda q: q.name = shards.answer)[1] as answer,
        list_sort(list_filter(facts.qualifiers, lambda q: list_contains(shards.qualifiers, q.name)))
            || [{'name': 'object', 'object': facts.object, 'value': facts.value}] as key,
        len(shards.qualifiers) as n_parts
    from facts
    join candidate_shards as shards on shards.predicate = facts.predicate
    where shards.answer is not null
)

select
    shards.shard,
    if(shards.inverse, facts.object, facts.subject) as subject,
    if(shards.inverse, facts.subject, facts.object) as object,
    facts.value,
    null as key
from facts
join candidate_shards as shards on shards.predicate = facts.predicate
where
    shards.answer is null
    and len(shards.qualifiers) = 0
    and (not shards.inverse or facts.object is not null)

union all

select
    shards.shard,
    facts.subject,
    facts.object,
    facts.value,
    list_sort(list_filter(facts.qualifiers, lambda q: list_contains(shards.qualifiers, q.name))) as key
from facts
join candidate_shards as shards on shards.predicate = facts.predicate
where
    shards.answer is null
    and len(shards.qualifiers) > 0
    and len(key) = len(shards.qualifiers)

union all

select shard, subject, answer.object, answer.value, key
from turned
where answer is not null and len(key) = n_parts;
