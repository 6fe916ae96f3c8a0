-- The people in the facts, as entities.
--
-- reads:   imdb_mentions, imdb_names
-- writes:  imdb_people, with the columns of staged entities, one row per person, by id
-- params:  none

create or replace table imdb_people as

select
    imdb_mentions.nconst as id,
    imdb_names.name as label,
    []::varchar[] as aliases,
    null::varchar as description,
    []::varchar[] as types,
    0::bigint as n_statements,
    imdb_mentions.n_facts as in_degree,
    null::bigint as sitelinks,
    null::varchar as wikipedia_title,
    []::varchar[] as same_as,
    imdb_mentions.n_facts as popularity
from imdb_names
join imdb_mentions on imdb_mentions.nconst = imdb_names.nconst
order by imdb_mentions.nconst;
