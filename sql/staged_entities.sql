-- Everything a question may need to know about an entity.
--
-- reads:   raw_about (id, role, text, number, position)
-- writes:  staged_entities, a view, one row per entity that is named, described or occurs in a fact
-- params:  none
--
-- Popularity is what the source gives (IMDb's votes), else statements made about and pointing to the entity: truthy
-- dumps carry no sitelinks. Of several labels the first in the input counts.

create or replace view staged_entities as

with texts as (
    select
        id,
        arg_min(text, {'position': position, 'text': text}) filter (where role = 'label') as label,
        list(distinct text order by text) filter (where role = 'alias') as aliases,
        arg_min(text, {'position': position, 'text': text}) filter (where role = 'description') as description,
        list(distinct text order by text) filter (where role = 'type') as types,
        min(text) filter (where role = 'title') as wikipedia_title,
        list(distinct text order by text) filter (where role = 'same_as') as same_as
    from raw_about
    where text is not null
    group by id
),

numbers as (
    select
        id,
        coalesce(sum(number) filter (where role = 'statements'), 0)::bigint as n_statements,
        coalesce(sum(number) filter (where role = 'pointers'), 0)::bigint as in_degree,
        max(number) filter (where role = 'sitelinks') as sitelinks,
        max(number) filter (where role = 'popularity') as given_popularity
    from raw_about
    where number is not null
    group by id
)

select
    id,
    label,
    coalesce(aliases, []) as aliases,
    description,
    coalesce(types, []) as types,
    coalesce(n_statements, 0) as n_statements,
    coalesce(in_degree, 0) as in_degree,
    sitelinks,
    wikipedia_title,
    coalesce(same_as, []) as same_as,
    coalesce(given_popularity, coalesce(n_statements, 0) + coalesce(in_degree, 0)) as popularity
from texts
full join numbers using (id)
order by id;
