-- The titles, numbered in the order of their ids.
--
-- reads:   title_basics (tconst, titleType, primaryTitle, originalTitle, startYear)
-- writes:  imdb_titles, one row per row of title.basics; `is_again` where the one before has the same id
-- params:  none
--
-- Whatever follows works with the numbers, which sort as the ids do and are a quarter of their size. All columns that
-- imdb_works reads are looked at, so that the same rows are refused by DuckDB in both. Windows without an order take the
-- rows as they come, which is five times faster than a window that sorts.

create or replace table imdb_titles as

with ordered as (
    select
        tconst,
        coalesce(titleType = 'tvEpisode', false) as is_episode,
        coalesce(primaryTitle, originalTitle, startYear) is null as is_bare
    from title_basics
    order by tconst
)

select
    (row_number() over ())::integer as title_no,
    tconst,
    is_episode,
    is_bare,
    coalesce(lag(tconst) over () >= tconst, false) as is_again
from ordered;
