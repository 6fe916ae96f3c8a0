-- How often two shards that ask the same question have an answer in common, for one bucket of the questions.
--
-- reads:   shared_pairs (shard_number, question_hash, question, answer), normal_answer
-- writes:  bucket_agreements, one row per two shards: one_number < other_number, n_agreeing, n_conflicting, and the
--          first $n conflicts in alphabetical order: question, one_answer, other_answer
-- params:  $n, $bucket, $n_buckets
--
-- All answers count that a shard gives to a question, in whatever pair; a conflict shows the first of its pairs.

create or replace table bucket_agreements as

with sides as (
    select
        question_hash,
        question,
        shard_number,
        list_distinct(flatten(list([normal_answer(form) for form in answer]))) as forms,
        min(answer) as shown
    from shared_pairs
    where question_hash % $n_buckets = $bucket
    group by question_hash, question, shard_number
),

compared as (
    select
        one.shard_number as one_number,
        other.shard_number as other_number,
        list_has_any(one.forms, other.forms) as agrees,
        {'question': one.question, 'one_answer': one.shown, 'other_answer': other.shown} as asked
    from sides as one
    join sides as other
        on one.question_hash = other.question_hash
        and one.question = other.question
        and one.shard_number < other.shard_number
)

select
    one_number,
    other_number,
    count(*) filter (where agrees) as n_agreeing,
    count(*) filter (where not agrees) as n_conflicting,
    coalesce((min(asked, greatest($n, 1)) filter (where not agrees))[:$n], []) as conflicts
from compared
group by one_number, other_number
order by one_number, other_number;
