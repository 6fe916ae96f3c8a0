-- What each shard holds.
--
-- reads:   corpus_rows (shard_number, answer, kind, licence, as_of), question_counts (shard_number, n_repeated)
-- writes:  shard_figures, one row per shard that has rows: shard_number, n_pairs, n_questions, n_repeated, mean_answers,
--          kinds and licences with their pairs, first_as_of, last_as_of
-- params:  none

create or replace table shard_figures as

with pairs as (
    select
        shard_number,
        count(*) as n_pairs,
        avg(len(answer)) as mean_answers,
        histogram(kind) as kinds,
        histogram(coalesce(licence, '')) as licences,
        min(as_of) as first_as_of,
        max(as_of) as last_as_of
    from corpus_rows
    group by shard_number
),

questions as (
    select shard_number, count(*) as n_questions, sum(n_repeated)::bigint as n_repeated
    from question_counts
    group by shard_number
)

select
    shard_number, n_pairs, n_questions, n_repeated, mean_answers, kinds, licences, first_as_of, last_as_of
from pairs
join questions using (shard_number)
order by shard_number;
