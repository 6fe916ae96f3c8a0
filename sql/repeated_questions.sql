-- The questions of all buckets that stand more than once, by their hash: nearly all others are alone, and told so by numbers.
--
-- reads:   rendered (question) of all buckets
-- writes:  repeated_questions, one row per hash
-- params:  none

create or replace table repeated_questions as

select hash(question) as question_hash
from rendered
group by question_hash
having count(*) > 1;
