-- Names, types and votes of the titles and people in the credits.
--
-- reads:   imdb_credits, title_basics, name_basics, title_ratings (tconst, numVotes), title_akas (titleId, title, region)
-- writes:  imdb_about (id, role, text, position), one row per thing said
-- params:  none
--
-- Of the alternative titles only those of English-speaking regions are kept.

create or replace table imdb_about as

with facts as (
    select tconst, nconst
    from imdb_credits
    where ignored is null and refusal is null
),

titles as (
    select *
    from title_basics
    semi join facts on facts.tconst = title_basics.tconst
),

people as (
    select *
    from name_basics
    semi join facts on facts.nconst = name_basics.nconst
),

said as (
    select tconst as id, 'label' as role, primaryTitle as text from titles
    union all
    select tconst, 'alias', originalTitle from titles where originalTitle <> primaryTitle
    union all
    select tconst, 'type', titleType from titles
    union all
    select nconst, 'label', primaryName from people
    union all
    select titles.tconst, 'popularity', title_ratings.numVotes
    from titles
    join title_ratings on title_ratings.tconst = titles.tconst
    union all
    select titles.tconst, 'alias', title_akas.title
    from titles
    join title_akas on title_akas.titleId = titles.tconst
    where title_akas.region in ('US', 'GB', 'CA', 'AU', 'IE', 'NZ') and title_akas.title <> titles.primaryTitle
)

select distinct
    id,
    role,
    case when role <> 'popularity' then text end as text,
    case when role = 'popularity' then try_cast(text as bigint) end as number,
    0::bigint as position
from said
where text is not null
order by id, role, text, number;
