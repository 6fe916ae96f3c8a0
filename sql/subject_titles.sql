-- The Wikipedia titles of the subjects, where the stage has some.
--
-- reads:   question_keys (subject_id), entities (id, wikipedia_title)
-- writes:  subject_titles, one row per subject with a title
-- params:  none

create or replace table subject_titles as

select entities.id, entities.wikipedia_title
from entities
semi join question_keys on question_keys.subject_id = entities.id
where entities.wikipedia_title is not null;
