-- The credits that cannot be facts, and why.
--
-- reads:   imdb_credits
-- writes:  imdb_stopped (fate, place, text, n), one row per credit that is refused, and per reason to ignore others
-- params:  none

create or replace table imdb_stopped as

select
    fate,
    refused_place as place,
    case when refused_place is not null then characters end as text,
    count(*) as n
from imdb_credits
where fate is not null
group by all;
