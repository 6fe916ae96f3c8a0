-- What is no fact and no fault either.
--
-- reads:   imdb_credits, imdb_characters, imdb_cast, imdb_crew, imdb_episodes
-- writes:  imdb_ignored (fate, n), one row per reason and table
-- params:  none

create or replace table imdb_ignored as

select fate, count(*) as n
from imdb_credits
where fate is not null and not prefix(fate, 'the ')
group by fate
union all
select fate, count(*)
from imdb_characters
where fate = 'plays themselves'
group by fate
union all
select
    'said by an earlier credit',
    (select count(*) from imdb_characters where fate is null) - (select count(*) from imdb_cast)
    + (select count(*) from imdb_credits where role <> 'acts') - (select count(*) from imdb_crew)
union all
select 'a row of title.episode without a series in title.basics', count(*)
from imdb_episodes
where series_no is null
union all
select 'a row of title.episode without a season', count(*)
from imdb_episodes
where series_no is not null and coalesce(season, 0) < 1;
