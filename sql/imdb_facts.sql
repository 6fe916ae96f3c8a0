-- All facts of IMDb as they are staged.
--
-- reads:   imdb_cast, imdb_crew, imdb_series, imdb_titles, imdb_works, imdb_asked_titles
-- writes:  imdb_facts, a view with the columns of staged facts, by predicate, subject and first credit
-- params:  none
--
-- Predicates are numbered in the order of their names, because numbers are faster to sort.

create or replace view imdb_facts as

with credited as (
    select if(role = 'director', 1, 6) as predicate_no, subject_no, first_no, nconst, null as character
    from imdb_crew
    where fate is null
    union all
    select 4, subject_no, first_no, nconst, character
    from imdb_cast
    where fate is null
),

stated as (
    select 2 as predicate_no, subject_no, n_episodes::varchar as value from imdb_series
    union all
    select 3, subject_no, n_seasons::varchar from imdb_series
    union all
    select 5, title_no, year::varchar
    from imdb_works
    where year is not null and title_no in (from imdb_asked_titles)
),

placed as (
    select
        credited.predicate_no,
        credited.subject_no,
        credited.first_no,
        credited.nconst,
        credited.character,
        null as value,
        imdb_works.tconst as subject,
        imdb_titles.tconst as title
    from credited
    join imdb_works on imdb_works.title_no = credited.subject_no
    join imdb_titles on imdb_titles.title_no = credited.first_no >> 32
    union all
    select stated.predicate_no, stated.subject_no, 0, null, null, stated.value, imdb_works.tconst, null
    from stated
    join imdb_works on imdb_works.title_no = stated.subject_no
),

ordered as (
    from placed
    order by (predicate_no::bigint << 32) + subject_no, first_no, nconst, character
)

select
    case predicate_no
        when 1 then 'director'
        when 2 then 'number_of_episodes'
        when 3 then 'number_of_seasons'
        when 4 then 'plays_character_in'
        when 5 then 'release_year'
        when 6 then 'writer'
    end as predicate,
    subject,
    nconst as object,
    value,
    case predicate_no when 2 then 'quantity' when 3 then 'quantity' when 5 then 'date' else 'entity' end as kind,
    null::varchar as lang,
    case
        when predicate_no = 4 then [{'name': 'character', 'object': null::varchar, 'value': character}]
    end as qualifiers,
    case
        when nconst is not null
            then 'title.principals/' || title || '/' || nconst || '/' || (first_no & 4294967295)
        when predicate_no = 5 then 'title.basics/' || subject
        else 'title.episode/' || subject
    end as place
from ordered;
