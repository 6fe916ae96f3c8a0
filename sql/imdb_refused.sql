-- What should be a fact and is none.
--
-- reads:   imdb_credits, imdb_characters, imdb_titles
-- writes:  imdb_refused (fate, text, place), a view, one row per credit, character or title
-- params:  none

create or replace view imdb_refused as

with refused as (
    select fate, characters as text, refused_place as place
    from imdb_credits
    where prefix(fate, 'the ')
    union all
    select
        characters.fate,
        characters.character,
        concat_ws('/', 'title.principals', titles.tconst, characters.nconst, characters.first_no & 4294967295)
    from imdb_characters as characters
    join imdb_titles as titles on titles.title_no = characters.first_no >> 32
    where characters.fate <> 'plays themselves'
    union all
    select 'the year is no year', year_text, 'title.basics/' || tconst
    from imdb_titles
    where year_text is not null
    union all
    select 'the title has no id', title, 'title.basics'
    from imdb_titles
    where tconst is null
)

from refused
order by place, fate, text;
