-- Alternative titles of English-speaking regions.
--
-- reads:   title_akas (titleId, title, region), imdb_works
-- writes:  imdb_akas (title_no, title), one row per alternative title and region
-- params:  none

create or replace table imdb_akas as

select imdb_works.title_no, title_akas.title
from title_akas
join imdb_works on imdb_works.tconst = title_akas.titleId
where
    title_akas.region in ('US', 'GB', 'CA', 'AU', 'IE', 'NZ')
    and title_akas.title <> imdb_works.title;
