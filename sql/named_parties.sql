-- Which of some entities are persons or organisations, and what they are called.
--
-- reads:   wanted_ids (id, as it is stored), entities (id, label, aliases, description, types, wikipedia_title), facts,
--          allowed_types (type), telling (predicate, is_subject), full_names (predicate)
-- writes:  named_parties, one row per such entity that has a name
-- params:  none
--
-- One of the allowed types says so, or if no type is staged a fact with a telling predicate.

create or replace table named_parties as

with wanted as (
    select *
    from entities
    where id in (select id from wanted_ids)
),

typed as (
    select id
    from (select id, unnest(types) as type from wanted) as types
    where type in (select type from allowed_types)
),

told as (
    select if(telling.is_subject, facts.subject, facts.object) as id
    from facts
    inner join telling using (predicate)
    where if(telling.is_subject, facts.subject, facts.object) in (select id from wanted_ids)
),

given as (
    select subject as id, list(distinct value order by value) as names
    from facts
    where
        predicate in (select predicate from full_names)
        and subject in (select id from wanted_ids)
        and value is not null
    group by subject
)

select
    entity_text(wanted.id) as id,
    [
        name for name in [wanted.label, wanted.wikipedia_title] || wanted.aliases || coalesce(given.names, [])
        if name is not null
    ] as names,
    wanted.label,
    wanted.description
from wanted
left join given using (id)
where
    (
        wanted.id in (select id from typed)
        or (len(wanted.types) = 0 and wanted.id in (select id from told))
    )
    and coalesce(wanted.label, wanted.aliases[1]) is not null
order by wanted.id;
