-- The titles, numbered in the order of their ids; names and years only of those that are no episodes.
--
-- reads:   title_basics (tconst, titleType, primaryTitle, originalTitle, startYear), imdb_votes
-- writes:  imdb_titles, one row per row of title.basics; `year_text` is set where the year is no year
-- params:  none
--
-- Whatever follows works with the numbers, which sort as the ids do and are a quarter of their size.

create or replace table imdb_titles as

with titles as (
    select
        tconst,
        coalesce(titleType = 'tvEpisode', false) as is_episode,
        titleType as type,
        case when not is_episode then primaryTitle end as title,
        case when not is_episode and originalTitle <> primaryTitle then originalTitle end as original,
        case when not is_episode then startYear end as year
    from title_basics
)

select
    (row_number() over (order by titles.tconst))::integer as title_no,
    titles.tconst,
    is_episode,
    type,
    title,
    original,
    case when regexp_matches(year, '^[0-9]{4}$') then year::smallint end as year,
    case when not regexp_matches(year, '^[0-9]{4}$') then year end as year_text,
    imdb_votes.votes
from titles
left join imdb_votes on imdb_votes.tconst = titles.tconst;
