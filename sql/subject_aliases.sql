-- The other names of the subjects, if the template asks about them.
--
-- reads:   asked (wants_aliases), question_keys (subject_id), entities (id, aliases)
-- writes:  subject_aliases, one row per subject; empty if the template does not ask
-- params:  none

create or replace table subject_aliases as

select entities.id, entities.aliases
from entities
semi join question_keys on question_keys.subject_id = entities.id
join asked on asked.wants_aliases;
