-- The asked facts about the best known subjects, so that a preview need not mill everything.
--
-- reads:   asked_facts, entities (id, popularity)
-- writes:  best_known_facts, the facts of $n_subjects subjects
-- params:  $n_subjects

create or replace table best_known_facts as

with best_known as (
    select entities.id
    from entities
    semi join asked_facts on asked_facts.subject = entities.id
    order by entities.popularity desc, entities.id
    limit $n_subjects
)

select asked_facts.*
from asked_facts
semi join best_known on best_known.id = asked_facts.subject;
