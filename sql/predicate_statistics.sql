-- How many answers does a question key have, for each shard that could be milled, and how much of it can be named?
--
-- reads:   facts (predicate, subject, object, value, qualifiers), entities (id, label),
--          template_keys (predicate, variant, qualifiers, answer, inverse)
-- writes:  predicate_statistics, one row per predicate and variant that has a template, or per predicate that has none
-- params:  none
--
-- Counts only; selected_predicates.sql decides. The question key is the subject and the qualifiers that the template
-- names, so "who plays <character> in <film>" counts per film and character, and only facts that name a character. A
-- statement that is staged twice, plain and with its qualifiers, is one fact. Where a qualifier is the answer, it takes
-- the place of the object and the object is a qualifier named `object`, as in asked_facts.sql.

create or replace table predicate_statistics as

with without_template as (
    select distinct predicate, null::varchar as variant, []::varchar[] as qualifiers, null::varchar as answer, false as inverse
    from facts
    anti join template_keys on template_keys.predicate = facts.predicate
),

shards as (
    select predicate, variant, qualifiers, answer, inverse from template_keys
    union all
    from without_template
),

asked as (
    select
        shards.predicate,
        shards.variant,
        if(shards.inverse, facts.object, facts.subject) as subject,
        if(shards.inverse, facts.subject, facts.object) as object,
        facts.value,
        list_filter(coalesce(facts.qualifiers, []), lambda q: list_contains(shards.qualifiers, q.name)) as key
    from facts
    join shards on shards.predicate = facts.predicate
    where
        shards.answer is null
        and len(key) = len(shards.qualifiers)
        and (not shards.inverse or facts.object is not null)

    union all

    select
        shards.predicate,
        shards.variant,
        facts.subject,
        said.answer.object,
        said.answer.value,
        list_filter(facts.qualifiers, lambda q: list_contains(shards.qualifiers, q.name))
            || [{'name': 'object', 'object': facts.object, 'value': facts.value}] as key
    from facts
    join shards on shards.predicate = facts.predicate
    cross join unnest(list_filter(facts.qualifiers, lambda q: q.name = shards.answer)) as said(answer)
    where shards.answer is not null and len(key) = len(shards.qualifiers)
),

keyed as (
    select
        asked.predicate,
        asked.variant,
        asked.subject,
        asked.key,
        coalesce(entity_text(asked.object), asked.value) as answer,
        subjects.label is not null and (asked.object is null or objects.label is not null) as is_labelled
    from asked
    left join entities as subjects on subjects.id = asked.subject
    left join entities as objects on objects.id = asked.object
),

answers_per_key as (
    select
        predicate,
        variant,
        subject,
        key,
        count(distinct answer) as n_answers,
        count(distinct answer) filter (where is_labelled) as n_labelled
    from keyed
    group by predicate, variant, subject, key
)

select
    predicate,
    variant,
    sum(n_answers)::bigint as n_facts,
    count(*) as n_keys,
    avg(n_answers) as mean_answers,
    max(n_answers) as max_answers,
    sum(n_labelled) / sum(n_answers) as labelled_share
from answers_per_key
group by predicate, variant
order by predicate, variant nulls first;
