-- What tells a subject apart from others of its name: the year of a date, or the name of an entity.
--
-- reads:   asked (hints), lesser_names (subject_id), facts (predicate, subject, object, value, kind), entities (id, label)
-- writes:  subject_hints, one row per subject of lesser_names that has one; empty if the template names no hints
-- params:  none
--
-- Of several predicates the first that says something counts, of several values the earliest year or first name. A
-- number is a year where it has four digits, as in DBpedia's infoboxes and IMDb's years.

create or replace table subject_hints as

with wanted as (
    select unnest(hints) as predicate, unnest(range(len(hints))) as rank
    from asked
),

said as (
    select
        facts.subject as subject_id,
        wanted.rank,
        case
            when facts.kind in ('date', 'quantity')
                then ltrim(regexp_extract(facts.value, '^\+?([0-9]{4})(?:-|$)', 1), '0')
            when facts.kind = 'entity' then entities.label
        end as hint
    from wanted
    join facts on facts.predicate = wanted.predicate
    semi join lesser_names on lesser_names.subject_id = facts.subject
    left join entities on entities.id = facts.object
)

select subject_id, min({'rank': rank, 'hint': hint}).hint as hint
from said
where coalesce(hint, '') <> '' and length(hint) <= 60 and not regexp_matches(hint, '\p{Cc}')
group by subject_id;
