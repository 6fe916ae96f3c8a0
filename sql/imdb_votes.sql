-- How many votes a title has.
--
-- reads:   title_ratings (tconst, numVotes)
-- writes:  imdb_votes (tconst, votes), one row per title
-- params:  none

create or replace table imdb_votes as

select tconst, max(try_cast(numVotes as bigint)) as votes
from title_ratings
group by tconst;
