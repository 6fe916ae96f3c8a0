-- Who plays whom in what: each once, with the first credit that says so.
--
-- reads:   imdb_characters
-- writes:  imdb_cast, one row per (title, person, character); `fate` is null where it is a fact, and one that is none
--          stands for `n` of one credit
-- params:  none

create or replace table imdb_cast as

select subject_no, nconst, character, fate, min(first_no) as first_no, count(*) as n
from imdb_characters
group by subject_no, nconst, character, fate, case when fate is not null then first_no end;
