-- The people's names.
--
-- reads:   name_basics (nconst, primaryName)
-- writes:  imdb_names (nconst, name), one row per row of name.basics
-- params:  none

create or replace table imdb_names as

select nconst, primaryName as name
from name_basics;
