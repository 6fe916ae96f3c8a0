-- Everything a question may need to know about an entity.
--
-- reads:   raw_about (id, role, text, position), raw_facts (subject, object)
-- writes:  staged_entities, a view, one row per entity that is named, described or occurs in a fact
-- params:  none
--
-- Popularity is what the source gives (IMDb's votes), else statements made about and pointing to the entity: truthy
-- dumps carry no sitelinks. Of several labels the first in the input counts.

create or replace view staged_entities as

with described as (
    select
        id,
        arg_min(text, [position::varchar.lpad(20, '0'), text]) filter (where role = 'label') as label,
        list(distinct text order by text) filter (where role = 'alias') as aliases,
        arg_min(text, [position::varchar.lpad(20, '0'), text]) filter (where role = 'description') as description,
        list(distinct text order by text) filter (where role = 'type') as types,
        max(try_cast(text as bigint)) filter (where role = 'popularity') as given_popularity
    from raw_about
    group by id
),

stated as (
    select subject as id, count(*) as n_statements
    from raw_facts
    group by subject
),

pointed_to as (
    select object as id, count(*) as in_degree
    from raw_facts
    where object is not null
    group by object
)

select
    id,
    label,
    coalesce(aliases, []) as aliases,
    description,
    coalesce(types, []) as types,
    coalesce(n_statements, 0) as n_statements,
    coalesce(in_degree, 0) as in_degree,
    coalesce(given_popularity, coalesce(n_statements, 0) + coalesce(in_degree, 0)) as popularity
from described
full join stated using (id)
full join pointed_to using (id)
order by id;
