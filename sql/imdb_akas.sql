-- Alternative titles of English-speaking regions, of titles that are no episodes.
--
-- reads:   title_akas (titleId, title, region), imdb_titles
-- writes:  imdb_akas (title_no, title), one row per alternative title and region
-- params:  none

create or replace table imdb_akas as

select imdb_titles.title_no, title_akas.title
from title_akas
join imdb_titles on imdb_titles.tconst = title_akas.titleId and not imdb_titles.is_episode
where
    title_akas.region in ('US', 'GB', 'CA', 'AU', 'IE', 'NZ')
    and title_akas.title <> imdb_titles.title;
