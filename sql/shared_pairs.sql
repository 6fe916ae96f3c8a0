-- The pairs whose question several shards ask.
--
-- reads:   corpus_rows (shard_number, question, answer), question_counts (shard_number, question_hash), asked_form
-- writes:  shared_pairs: shard_number, question_hash, question, answer
-- params:  none

create or replace table shared_pairs as

with shared_hashes as (
    select question_hash
    from question_counts
    group by question_hash
    having count(*) > 1
),

hashed as (
    select
        shard_number,
        asked_form(question) as question,
        hash(asked_form(question)) as question_hash,
        answer
    from corpus_rows
)

select shard_number, question_hash, question, answer
from hashed
where question_hash in (select question_hash from shared_hashes);
