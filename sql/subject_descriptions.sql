-- The descriptions of the subjects, if a wording uses them.
--
-- reads:   asked (wants_description), asked_facts (subject), entities (id, description)
-- writes:  subject_descriptions, one row per subject; empty if no wording uses them
-- params:  none
--
-- A table of its own, because the descriptions of a whole dump are long and most templates do not read them.

create or replace table subject_descriptions as

with subjects as (
    select distinct asked_facts.subject as id
    from asked_facts
    join asked on asked.wants_description
)

select entities.id, entities.description
from entities
semi join subjects on subjects.id = entities.id
order by entities.id;
