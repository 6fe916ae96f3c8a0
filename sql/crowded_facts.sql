-- The facts that can be asked and share their question key with another.
--
-- reads:   keyed_facts
-- writes:  crowded_facts, one row per fact
-- params:  none

create or replace table crowded_facts as

with crowded_keys as (
    select subject_id, qualifier_number
    from keyed_facts
    where refusal is null
    group by subject_id, qualifier_number
    having count(*) > 1
)

select keyed_facts.* exclude (refusal)
from keyed_facts
semi join crowded_keys using (subject_id, qualifier_number)
where keyed_facts.refusal is null;
