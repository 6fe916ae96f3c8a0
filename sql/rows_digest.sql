-- The digest of the rows of a shard, whatever their order.
--
-- reads:   stored_rows
-- writes:  rows_digest, one row: n_rows, and two sums over the first and second 60 bits of each row's SHA-256
-- params:  none

create or replace table rows_digest as

with digested as (
    select sha256(to_json(stored_rows)::varchar) as digest
    from stored_rows
)

select
    count(*) as n_rows,
    coalesce(sum(('0x' || left(digest, 15))::bigint), 0)::varchar as first_sum,
    coalesce(sum(('0x' || substr(digest, 16, 15))::bigint), 0)::varchar as second_sum
from digested;
