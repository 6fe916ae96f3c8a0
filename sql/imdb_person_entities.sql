-- The people in the facts, as entities.
--
-- reads:   imdb_people
-- writes:  imdb_person_entities, a view with the columns of staged entities, by id
-- params:  none

create or replace view imdb_person_entities as

with ordered as (
    from imdb_people
    order by nconst
)

select
    nconst as id,
    name as label,
    []::varchar[] as aliases,
    null::varchar as description,
    []::varchar[] as types,
    0::bigint as n_statements,
    n_facts as in_degree,
    null::bigint as sitelinks,
    null::varchar as wikipedia_title,
    []::varchar[] as same_as,
    n_facts as popularity
from ordered;
