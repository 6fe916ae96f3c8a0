-- The titles that are called what is asked for, in any of their spellings.
--
-- reads:   title_basics, title_akas (titleId, title), title_ratings (tconst, numVotes), title_key
-- writes:  imdb_same_titles, one row per title, episodes last, best known first; `spellings` are those that match
-- params:  $whole, the name as it was given; $title and $year as they were read out of it, $year null where none was named
--
-- The whole name counts too, because a title may end in a year in brackets itself.

create or replace table imdb_same_titles as

with asked as (
    select
        lower($whole::varchar) as text,
        title_key($whole::varchar) as whole_key,
        title_key($title::varchar) as key,
        $year::integer as year
),

spelled as (
    select tconst, unnest(list_distinct([primaryTitle, originalTitle])) as spelling
    from title_basics
    union all
    select titleId, title
    from title_akas
),

keyed as (
    select *, title_key(spelling) as title_key
    from spelled
),

called as (
    select keyed.*
    from keyed, asked
    where
        keyed.title_key in (asked.whole_key, asked.key)
        -- A name without letters and digits has an empty key.
        and (keyed.title_key <> '' or lower(keyed.spelling) = asked.text)
)

select
    title_basics.tconst,
    any_value(coalesce(nullif(trim(title_basics.primaryTitle), ''), called.spelling)) as title,
    any_value(title_basics.titleType) as kind,
    any_value(try_cast(title_basics.startYear as integer)) as year,
    max(try_cast(title_ratings.numVotes as bigint)) as votes,
    list(distinct called.spelling order by called.spelling) as spellings
from called
cross join asked
join title_basics on title_basics.tconst = called.tconst
left join title_ratings on title_ratings.tconst = called.tconst
where
    called.title_key = asked.whole_key
    or asked.year is null
    or try_cast(title_basics.startYear as integer) = asked.year
group by title_basics.tconst
order by kind is not distinct from 'tvEpisode', votes desc nulls last, title_basics.tconst
limit 1000;
