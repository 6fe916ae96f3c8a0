-- How many subjects of a bucket have which popularity, by each measure.
--
-- reads:   bucket_subjects
-- writes:  bucket_popularity, a view, one row per shard, measure and popularity
-- params:  none
--
-- A median cannot be added up over buckets, but these numbers can.

create or replace view bucket_popularity as

select shard, false as by_sitelinks, popularity, count(*) as n_subjects
from bucket_subjects
where popularity is not null
group by shard, popularity

union all

select shard, true as by_sitelinks, sitelinks as popularity, count(*) as n_subjects
from bucket_subjects
where sitelinks is not null
group by shard, sitelinks;
