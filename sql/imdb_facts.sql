-- All facts of IMDb as they are staged.
--
-- reads:   imdb_cast, imdb_crew, imdb_series, imdb_titles, imdb_works, imdb_asked_titles
-- writes:  imdb_facts, a view with the columns of staged facts, by predicate, subject and first credit
-- params:  none
--
-- Predicates are numbered in the order of their names, because numbers are faster to sort.

create or replace view imdb_facts as

with found as (
    select if(role = 'director', 1, 6) as predicate_no, subject_no, first_no, nconst, null as character, null as value
    from imdb_crew
    where fate is null
    union all
    select 2, subject_no, subject_no::bigint << 32, null, null, n_episodes::varchar from imdb_series
    union all
    select 3, subject_no, subject_no::bigint << 32, null, null, n_seasons::varchar from imdb_series
    union all
    select 4, subject_no, first_no, nconst, character, null from imdb_cast where fate is null
    union all
    select 5, title_no, title_no::bigint << 32, null, null, year::varchar
    from imdb_works
    where year is not null and title_no in (from imdb_asked_titles)
),

placed as (
    select
        found.predicate_no::tinyint as predicate_no,
        found.subject_no,
        found.first_no,
        found.nconst,
        found.character,
        found.value,
        subjects.tconst as subject,
        titles.tconst as credited
    from found
    join imdb_works as subjects on subjects.title_no = found.subject_no
    join imdb_titles as titles on titles.title_no = found.first_no >> 32
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
            then 'title.principals/' || credited || '/' || nconst || '/' || (first_no & 4294967295)
        when predicate_no = 5 then 'title.basics/' || subject
        else 'title.episode/' || subject
    end as place
from ordered;
