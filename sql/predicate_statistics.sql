-- How many answers does a question key have, for each predicate, and how much of it can be named?
--
-- reads:   facts (predicate, subject, object, value, qualifiers), entities (id, label), key_qualifiers (predicate, names)
-- writes:  predicate_statistics, one row per predicate
-- params:  none
--
-- Counts only; selected_predicates.sql decides. The question key is the subject and the qualifiers that the predicate's
-- template names, so "who plays <character> in <film>" counts per film and character.

create or replace table predicate_statistics as

with keyed as (
    select
        facts.predicate,
        facts.subject,
        list_filter(facts.qualifiers, lambda q: list_contains(key_qualifiers.names, q.name)) as key,
        coalesce(entity_text(facts.object), facts.value) as answer,
        facts.object
    from facts
    left join key_qualifiers on key_qualifiers.predicate = facts.predicate
),

answers_per_key as (
    select
        predicate,
        subject,
        key,
        count(*) as n_facts,
        count(distinct answer) as n_answers
    from keyed
    group by predicate, subject, key
),

labelled_facts as (
    select
        facts.predicate,
        count(*) filter (
            where subjects.label is not null and (facts.object is null or objects.label is not null)
        ) as n_labelled
    from facts
    left join entities as subjects on subjects.id = facts.subject
    left join entities as objects on objects.id = facts.object
    group by facts.predicate
)

select
    answers_per_key.predicate,
    sum(answers_per_key.n_facts)::bigint as n_facts,
    count(*) as n_keys,
    avg(answers_per_key.n_answers) as mean_answers,
    max(answers_per_key.n_answers) as max_answers,
    any_value(labelled_facts.n_labelled) / sum(answers_per_key.n_facts) as labelled_share
from answers_per_key
join labelled_facts on labelled_facts.predicate = answers_per_key.predicate
group by answers_per_key.predicate
order by answers_per_key.predicate;
