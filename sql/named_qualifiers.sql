-- The qualifiers that belong to the question key, in alphabetical order of their names.
--
-- reads:   asked (qualifiers), asked_facts (qualifiers), bucket_entities (id, label, popularity)
-- writes:  named_qualifiers, one row per list of qualifiers that some fact has; empty if the template names none
-- params:  none
--
-- A name or a number can stand in a question; a date as it is staged, an address or a lone sign cannot.
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
        list(coalesce(bucket_entities.label, single.value) order by single.name) as texts,
        list(single.name order by single.name) as names,
        coalesce(max(bucket_entities.popularity), 0) as popularity
    from single
    left join bucket_entities on bucket_entities.id = single.object
    where list_contains((select qualifiers from asked), single.name)
    group by single.qualifiers
)

select
    qualifiers,
    key,
    texts,
    names <> (select qualifiers from asked) as is_incomplete,
    list_bool_or([text is null for text in texts]) as is_unnamed,
    list_bool_or([
        not regexp_matches(text, '[\p{L}\p{N}]')
        or regexp_matches(text, '\p{Cc}|^[+-]?[0-9]{4,}-[0-9]{2}-[0-9]{2}T|^https?://')
        or length(text) > 300
        for text in texts
    ]) as is_odd,
    dense_rank() over (order by popularity desc, key) as qualifier_number
from named;
