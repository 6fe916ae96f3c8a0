-- How many characters a title has.
--
-- reads:   imdb_cast
-- writes:  imdb_figures, one row
-- params:  none

create or replace table imdb_figures as

with titles as (
    select count(*) as n_characters
    from imdb_cast
    where fate is null
    group by subject_no
)

select
    count(*) as titles_with_characters,
    avg(n_characters) as characters_per_title,
    median(n_characters) as median_characters_per_title
from titles;
