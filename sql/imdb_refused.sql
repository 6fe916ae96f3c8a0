-- What should be a fact and is none.
--
-- reads:   imdb_credits, imdb_cast, imdb_titles, imdb_works
-- writes:  imdb_refused (fate, text, place), a view, one row per credit, character or title
-- params:  none

create or replace view imdb_refused as

with refused as (
    select fate, characters as text, refused_place as place
    from imdb_credits
    where prefix(fate, 'the ')
    union all
    select
        imdb_cast.fate,
        imdb_cast.character,
        concat_ws('/', 'title.principals', imdb_titles.tconst, imdb_cast.nconst, imdb_cast.first_no & 4294967295)
    from imdb_cast
    cross join range(imdb_cast.n)
    join imdb_titles on imdb_titles.title_no = imdb_cast.first_no >> 32
    where imdb_cast.fate <> 'plays themselves'
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
