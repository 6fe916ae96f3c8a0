-- The question keys of a bucket that have the most answers.
--
-- reads:   bucket_keys
-- writes:  crowded_keys, at most $n_samples rows per shard
-- params:  $n_samples

create or replace table crowded_keys as

select shard, subject, key, n_answers
from bucket_keys
qualify row_number() over (partition by shard order by n_answers desc, subject, key) <= $n_samples;
