-- Who directed and who wrote what: each once, with the first credit that says so.
--
-- reads:   imdb_credits
-- writes:  imdb_crew, one row per (role, title, person)
-- params:  none

create or replace table imdb_crew as

select role, subject_no, nconst, min((title_no::bigint << 32) + ordering) as first_no
from imdb_credits
where role in ('director', 'writer')
group by role, subject_no, nconst;
