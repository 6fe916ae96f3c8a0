-- How the rows of a shard differ between two versions of the corpus.
--
-- reads:   old_rows and new_rows (qa_id, question, answer)
-- writes:  shard_diff, one row per kind that occurs (added, changed, retired, unchanged): kind, n_pairs, and the first
--          $n ids of what is not unchanged
-- params:  $n
--
-- Only identities and hashes of 64 bits go into the join, so that it fits into memory; that a change goes unseen has a
-- chance of 1 in 10^19 a pair. A pair is changed when its question or its answers are.

create or replace table shard_diff as

with earlier as (
    select qa_id, hash(question, answer) as content from old_rows
),

later as (
    select qa_id, hash(question, answer) as content from new_rows
)

select
    case
        when earlier.content is null then 'added'
        when later.content is null then 'retired'
        when earlier.content <> later.content then 'changed'
        else 'unchanged'
    end as kind,
    count(*) as n_pairs,
    coalesce(
        (min(qa_id, greatest($n, 1)) filter (where earlier.content is distinct from later.content))[:$n], []
    ) as first_ids
from earlier
full join later using (qa_id)
group by kind
order by kind;
