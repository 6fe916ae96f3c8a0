-- How many credits there are of each kind that is told from the row alone.
--
-- reads:   title_principals (tconst, ordering, nconst, category, characters)
-- writes:  imdb_roles, one row per category with and without characters
-- params:  none
--
-- Two credits in three are none that we use. It takes less time to read the file again than to keep them all. All
-- columns that imdb_credits reads are looked at, so that the same rows are refused by DuckDB in both.

create or replace table imdb_roles as

select
    category,
    characters is not null as has_characters,
    count(*) as n,
    count(tconst) as n_titles,
    count(ordering) as n_orderings,
    count(nconst) as n_people
from title_principals
group by all;
