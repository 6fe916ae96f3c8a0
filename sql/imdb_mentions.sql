-- How many facts point to a person.
--
-- reads:   imdb_cast, imdb_crew
-- writes:  imdb_mentions, one row per person in the facts
-- params:  none

create or replace table imdb_mentions as

with mentions as (
    select nconst from imdb_cast where fate is null
    union all
    select nconst from imdb_crew
)

select nconst, count(*) as n_facts
from mentions
group by nconst;
