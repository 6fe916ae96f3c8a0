-- How often each shard asks each question.
--
-- reads:   corpus_rows (shard_number, question, answer), asked_form
-- writes:  question_counts, one row per (shard_number, question_hash): n_pairs, and n_repeated, those that repeat an
--          earlier pair in question and answers
-- params:  none

create or replace table question_counts as

with asked as (
    select shard_number, asked_form(question) as form, answer from corpus_rows
),

different_pairs as (
    select shard_number, hash(form) as question_hash, hash(form, answer) as pair_hash, count(*) as n_pairs
    from asked
    group by all
)

select
    shard_number,
    question_hash,
    sum(n_pairs)::bigint as n_pairs,
    (sum(n_pairs) - count(*))::bigint as n_repeated
from different_pairs
group by all;
