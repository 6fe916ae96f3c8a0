-- The titles in the facts, as entities.
--
-- reads:   imdb_cast, imdb_crew, imdb_series, imdb_works, imdb_asked_titles, imdb_akas
-- writes:  imdb_title_entities, a view with the columns of staged entities, by id
-- params:  none

create or replace view imdb_title_entities as

with statements as (
    select subject_no, count(*) as n from imdb_cast where fate is null group by subject_no
    union all
    select subject_no, count(*) from imdb_crew where fate is null group by subject_no
    union all
    select subject_no, 2 from imdb_series
    union all
    select title_no, 1 from imdb_works where year is not null and title_no in (from imdb_asked_titles)
),

counted as (
    select subject_no, sum(n)::bigint as n_statements
    from statements
    group by subject_no
),

other_names as (
    select title_no, title from imdb_akas
    union all
    select title_no, original from imdb_works where original is not null
),

aliases as (
    select title_no, list_sort(list_distinct(list(title))) as aliases
    from other_names
    where title_no in (select subject_no from counted)
    group by title_no
)

select
    imdb_works.tconst as id,
    imdb_works.title as label,
    coalesce(aliases.aliases, []) as aliases,
    null::varchar as description,
    if(imdb_works.type is null, [], [imdb_works.type]) as types,
    counted.n_statements,
    0::bigint as in_degree,
    null::bigint as sitelinks,
    null::varchar as wikipedia_title,
    []::varchar[] as same_as,
    coalesce(imdb_works.votes, counted.n_statements) as popularity
from counted
join imdb_works on imdb_works.title_no = counted.subject_no
left join aliases on aliases.title_no = counted.subject_no
order by imdb_works.title_no;
