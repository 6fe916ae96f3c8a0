-- The best known titles that are nearly called what was asked for: a letter differs, or it is a part of the title.
--
-- reads:   title_basics, title_ratings (tconst, numVotes), title_key
-- writes:  imdb_near_titles, one row per title, best known first; the columns of imdb_same_titles
-- params:  $title without its year
--
-- Comparing letters takes a time that grows with both lengths, so lengths are compared first.

create or replace table imdb_near_titles as

with asked as (
    select title_key($title::varchar) as key
),

keyed as (
    select *, title_key(primaryTitle) as title_key
    from title_basics
    where title_key(primaryTitle) <> ''
),

near as (
    select keyed.*
    from keyed, asked
    where
        (length(asked.key) >= 4 and contains(keyed.title_key, asked.key))
        or case
            when abs(length(keyed.title_key) - length(asked.key)) <= 3
                then jaro_winkler_similarity(keyed.title_key, asked.key) >= 0.9
        end
)

select
    near.tconst,
    any_value(near.primaryTitle) as title,
    any_value(near.titleType) as kind,
    any_value(try_cast(near.startYear as integer)) as year,
    max(try_cast(title_ratings.numVotes as bigint)) as votes,
    [any_value(near.primaryTitle)] as spellings
from near
left join title_ratings on title_ratings.tconst = near.tconst
group by near.tconst
order by votes desc nulls last, near.tconst
limit 100;
