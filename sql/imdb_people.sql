-- The people in the facts.
--
-- reads:   imdb_mentions, name_basics (nconst, primaryName)
-- writes:  imdb_people, one row per person who has a name
-- params:  none

create or replace table imdb_people as

select imdb_mentions.nconst, name_basics.primaryName as name, imdb_mentions.n_facts
from name_basics
join imdb_mentions on imdb_mentions.nconst = name_basics.nconst;
