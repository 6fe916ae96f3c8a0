-- The subjects that views hold which go by questions, each with the bits of its views.
--
-- reads:   viewed_subjects (subject, bits)
-- writes:  view_subjects, one row per subject
-- params:  none

create or replace table view_subjects as

select subject, bit_or(bits) as bits
from viewed_subjects
group by subject;
