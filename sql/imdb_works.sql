-- The titles that are no episodes: what questions are about.
--
-- reads:   title_basics (tconst, titleType, primaryTitle, originalTitle, startYear), imdb_titles, imdb_votes
-- writes:  imdb_works, one row per title that has an id; `year_text` is set where the year is no year
-- params:  none

create or replace table imdb_works as

select
    imdb_titles.title_no,
    basics.tconst,
    basics.titleType as type,
    basics.primaryTitle as title,
    case when basics.originalTitle <> basics.primaryTitle then basics.originalTitle end as original,
    case when regexp_matches(basics.startYear, '^(?:1[89]|2[01])[0-9]{2}$') then basics.startYear::smallint end as year,
    case when not regexp_matches(basics.startYear, '^(?:1[89]|2[01])[0-9]{2}$') then basics.startYear end as year_text,
    imdb_votes.votes
from title_basics as basics
join imdb_titles on imdb_titles.tconst = basics.tconst
left join imdb_votes on imdb_votes.tconst = basics.tconst
where basics.titleType is null or basics.titleType <> 'tvEpisode';
