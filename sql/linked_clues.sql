-- What is said of entities: the description, the names of the types, and words that facts give away.
--
-- reads:   linkable_entities (number, id, entity, label, description, types), facts,
--          telling (predicate, is_subject, text)
-- writes:  linked_clues, one row per entity of which something is said
-- params:  $low, $high: the numbers from `low` to below `high`
--
-- What has a director, for one, is a film. A range at a time, because lists of texts take memory.

create or replace table linked_clues as

with wanted as (
    select *
    from linkable_entities
    where number >= $low and number < $high
),

texts as (
    select number, description as text
    from wanted
    where description is not null

    union all

    select typed.number, named.label as text
    from (select number, unnest(types) as type from wanted) as typed
    inner join linkable_entities as named on typed.type = named.entity

    union all

    select distinct wanted.number, telling.text
    from facts
    inner join telling using (predicate)
    inner join wanted on wanted.id = case when telling.is_subject then facts.subject else facts.object end
)

select number, list(distinct text) as texts
from texts
group by number;
