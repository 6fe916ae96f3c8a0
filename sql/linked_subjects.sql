-- The subjects that questions mention.
--
-- reads:   mentioned (id)
-- writes:  linked_subjects (subject), one row per entity
-- params:  none

create or replace table linked_subjects as

select entity_text(id) as subject
from mentioned;
