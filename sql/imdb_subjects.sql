-- What the credits of a title are credits of: the title itself, or the series of an episode.
--
-- reads:   imdb_titles, imdb_episodes, imdb_asked_titles
-- writes:  imdb_subjects, one row per title; `subject_no` is null where the series of an episode is not known
-- params:  none

create or replace table imdb_subjects as

with subjects as (
    select title_no, tconst, title_no as subject_no
    from imdb_titles
    where not is_episode
    union all
    select imdb_titles.title_no, imdb_titles.tconst, imdb_episodes.series_no
    from imdb_titles
    left join imdb_episodes on imdb_episodes.tconst = imdb_titles.tconst
    where imdb_titles.is_episode
)

select *, subject_no in (from imdb_asked_titles) as is_asked
from subjects;
