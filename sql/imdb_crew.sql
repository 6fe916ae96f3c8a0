-- Who directed and who wrote what: each once, with the first credit that says so.
--
-- reads:   imdb_credits
-- writes:  imdb_crew, one row per (role, title, person); `fate` is null where it is a fact
-- params:  none

create or replace table imdb_crew as

select role, subject_no, nconst, null::varchar as fate, min(first_no) as first_no, count(*) as n
from imdb_credits
where role <> 'acts' and fate is null
group by role, subject_no, nconst;
