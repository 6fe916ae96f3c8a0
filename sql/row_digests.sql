-- A digest of each row of a shard, in the shard's order.
--
-- reads:   rows, with all columns of a pair
-- writes:  row_digests, one row per pair: 64 hexadecimal digits
-- params:  none

create or replace table row_digests as

select sha256(to_json(rows)::varchar) as digest
from rows
order by qa_id;
