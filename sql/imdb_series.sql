-- How many seasons and episodes a series has.
--
-- reads:   imdb_episodes, imdb_asked_titles
-- writes:  imdb_series, one row per series of which an episode with a season is known
-- params:  none
--
-- Episodes without a season are specials, lost pilots and the like; people do not count them.

create or replace table imdb_series as

select series_no as subject_no, count(distinct season) as n_seasons, count(*) as n_episodes
from imdb_episodes
where series_no in (from imdb_asked_titles) and season > 0
group by series_no;
