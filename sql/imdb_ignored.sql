-- What is no fact and no fault either.
--
-- reads:   imdb_stopped, imdb_cast, imdb_crew, imdb_episodes
-- writes:  imdb_ignored (fate, n), one row per reason and table
-- params:  none

create or replace table imdb_ignored as

with ignored as (
    select fate, n from imdb_stopped where place is null
    union all
    select fate, n from imdb_cast where fate = 'plays themselves'
    union all
    select 'said by an earlier credit', n - 1 from imdb_cast where fate is null and n > 1
    union all
    select 'said by an earlier credit', n - 1 from imdb_crew where fate is null and n > 1
    union all
    select 'a row of title.episode without a series in title.basics', 1 from imdb_episodes where series_no is null
    union all
    select 'a row of title.episode without a season', 1
    from imdb_episodes
    where series_no is not null and coalesce(season, 0) < 1
)

select fate, sum(n)::bigint as n
from ignored
where fate is not null
group by fate
order by fate;
