-- The facts about the entities that questions mention, each way that it could be asked.
--
-- reads:   facts, linked (id)
-- writes:  gap_facts, one row per entity, predicate, direction, path and answer
-- params:  none
--
-- Forwards the entity is the subject and the object answers, backwards the other way round. A qualifier answers, too: its
-- name is the path. A statement may be staged twice, plain and with its qualifiers; its answers are counted once.

create or replace table gap_facts as

with forward as (
    select facts.*
    from facts
    semi join linked on linked.id = facts.subject
),

qualifiers as (
    select subject, predicate, unnest(qualifiers) as qualifier
    from forward
    where len(qualifiers) > 0
),

answers as (
    select subject as entity, predicate, false as inverse, '' as path, object as answer, value, kind::varchar as kind
    from forward

    union

    select subject, predicate, false, qualifier.name, qualifier.object, qualifier.value, 'qualifier'
    from qualifiers

    union

    select facts.object, facts.predicate, true, '', facts.subject, null, 'entity'
    from facts
    semi join linked on linked.id = facts.object
)

select answers.*, count(*) over (partition by entity, predicate, inverse, path) as n_answers
from answers
where answer is not null or value is not null;
