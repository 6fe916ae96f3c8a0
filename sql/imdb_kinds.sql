-- How many facts there are of each kind.
--
-- reads:   imdb_cast, imdb_crew, imdb_series, imdb_works, imdb_asked_titles
-- writes:  imdb_kinds (kind, n), one row per kind
-- params:  none

create or replace table imdb_kinds as

select 'entity' as kind, (select count(*) from imdb_cast where fate is null) + (select count(*) from imdb_crew where fate is null) as n
union all
select 'quantity', 2 * count(*)
from imdb_series
union all
select 'date', count(*)
from imdb_works
where year is not null and title_no in (from imdb_asked_titles);
