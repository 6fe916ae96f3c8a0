-- Which series an episode belongs to.
--
-- reads:   title_episode (tconst, parentTconst, seasonNumber), imdb_works
-- writes:  imdb_episodes (tconst, series_no, season), one row per row of title.episode; `series_no` is null where the
--          series is not in title.basics or an episode itself
-- params:  none

create or replace table imdb_episodes as

select
    title_episode.tconst,
    imdb_works.title_no as series_no,
    try_cast(title_episode.seasonNumber as integer) as season
from title_episode
left join imdb_works on imdb_works.tconst = title_episode.parentTconst;
