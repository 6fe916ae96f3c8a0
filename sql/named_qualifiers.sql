-- The qualifiers that belong to the question key, in alphabetical order of their names.
--
-- reads:   asked (qualifiers), asked_facts (qualifiers), entities (id, label, popularity)
-- writes:  named_qualifiers, one row per list of qualifiers that some fact has; empty if the template names none
-- params:  none
--
-- Lists that differ only in what the template does not name have the same `qualifier_number`. The best known come first.

create or replace table named_qualifiers as

with lists as (
    select distinct asked_facts.qualifiers
    from asked_facts
    join asked on len(asked.qualifiers) > 0
),

single as (
    select qualifiers, unnest(qualifiers, recursive := true)
    from lists
),

named as (
    select
        single.qualifiers,
        list(coalesce(entity_text(single.object), single.value) order by single.name) as key,
        list(coalesce(entities.label, single.value) order by single.name) as texts,
        list(single.name order by single.name) as names,
        coalesce(max(entities.popularity), 0) as popularity
    from single
    left join entities on entities.id = single.object
    where list_contains((select qualifiers from asked), single.name)
    group by single.qualifiers
)

select
    qualifiers,
    key,
    texts,
    names <> (select qualifiers from asked) as is_incomplete,
    list_bool_or([text is null for text in texts]) as is_unnamed,
    list_bool_or([regexp_matches(text, '[\x00-\x1f\x7f]') or length(text) > 300 for text in texts]) as is_odd,
    dense_rank() over (order by popularity desc, key) as qualifier_number
from named;
