-- The question keys that more than one fact answers.
--
-- reads:   keyed_facts (subject_id, qualifier_number, refusal)
-- writes:  crowded_keys, one row per key
-- params:  none

create or replace table crowded_keys as

select subject_id, qualifier_number
from keyed_facts
where refusal is null
group by subject_id, qualifier_number
having count(*) > 1;
