-- The answers of the question keys that several facts answer, none so far: bucket after bucket is added.
--
-- reads:   keyed_facts (subject_id, qualifier_number)
-- writes:  key_answers, no rows; the columns are those of bucket_answers
-- params:  none

create or replace table key_answers as

select
    subject_id,
    qualifier_number,
    null::varchar[] as first_forms,
    null::varchar[] as other_forms,
    null::varchar[] as objects,
    null::varchar[] as places
from keyed_facts
limit 0;
