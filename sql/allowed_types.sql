-- The types that the template admits, with all their subclasses.
--
-- reads:   asked (subject_types, subclass_of), facts (predicate, subject, object)
-- writes:  allowed_types, one row per type; empty if the template admits any
-- params:  none
--
-- `union` drops what was seen before, so a cycle among classes ends.

create or replace table allowed_types as

with recursive below as (
    select unnest(subject_types) as type
    from asked

    union

    select entity_text(facts.subject) as type
    from below
    join facts on entity_text(facts.object) = below.type
    where facts.predicate = (select subclass_of from asked)
)

select type
from below
order by type;
