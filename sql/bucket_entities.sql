-- The entities that the asked facts of a bucket name, so that nothing after this reads those of the whole stage.
--
-- reads:   asked (qualifiers), asked_facts (subject, object, qualifiers), entities (id, label, aliases, popularity,
--          wikipedia_title)
-- writes:  bucket_entities, one row per entity
-- params:  none

create or replace table bucket_entities as

with named as (
    select subject as id from asked_facts
    union all
    select object as id from asked_facts
    union all
    select unnest([q.object for q in asked_facts.qualifiers]) as id
    from asked_facts
    join asked on len(asked.qualifiers) > 0
),

wanted as (
    select distinct id
    from named
    where id is not null
)

select entities.id, entities.label, entities.aliases, entities.popularity, entities.wikipedia_title
from entities
semi join wanted on wanted.id = entities.id;
