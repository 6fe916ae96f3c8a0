-- The people in the credits who have no name.
--
-- reads:   imdb_mentions, imdb_people
-- writes:  imdb_unnamed (nconst), one row per person
-- params:  none

create or replace table imdb_unnamed as

select nconst
from imdb_mentions
where nconst not in (select nconst from imdb_people);
