-- What should be a fact and is none.
--
-- reads:   imdb_stopped, imdb_cast, imdb_crew, imdb_titles, imdb_works
-- writes:  imdb_refused (fate, text, place), a view, one row per credit, character or title
-- params:  none

create or replace view imdb_refused as

with stopped as (
    select fate, text, place, unnest(range(n))
    from imdb_stopped
    where place is not null
),

claims as (
    select fate, character as text, nconst, first_no, unnest(range(n))
    from imdb_cast
    where fate <> 'plays themselves'
    union all
    select fate, role, nconst, first_no, unnest(range(n))
    from imdb_crew
    where fate is not null
),

refused as (
    select fate, text, place
    from stopped
    union all
    select
        claims.fate,
        claims.text,
        concat_ws('/', 'title.principals', imdb_titles.tconst, claims.nconst, claims.first_no & 4294967295)
    from claims
    join imdb_titles on imdb_titles.title_no = claims.first_no >> 32
    union all
    select 'the year is no year', year_text, 'title.basics/' || tconst
    from imdb_works
    where year_text is not null
    union all
    select 'the title has no id', null, 'title.basics'
    from imdb_titles
    where tconst is null
)

from refused
order by place, fate, text;
