-- Who plays whom in what: each once, with the first credit that says so.
--
-- reads:   imdb_characters
-- writes:  imdb_cast, one row per (title, person, character)
-- params:  none

create or replace table imdb_cast as

select subject_no, nconst, character, min(first_no) as first_no
from imdb_characters
where fate is null
group by subject_no, nconst, character;
