-- The facts of the asked predicate about the best known subjects, so that a preview need not mill everything.
--
-- reads:   asked (predicate, inverse), facts, entities (id, popularity)
-- writes:  best_known_facts, the facts about $n_subjects subjects, in the columns of chosen_facts
-- params:  $n_subjects

create or replace table best_known_facts as

with asked_about as (
    select distinct if(asked.inverse, facts.object, facts.subject) as id
    from facts
    cross join asked
    where facts.predicate = (select predicate from asked)
),

best_known as (
    select entities.id
    from entities
    semi join asked_about on asked_about.id = entities.id
    order by entities.popularity desc, entities.id
    limit $n_subjects
)

select facts.*, 0 as bucket
from facts
cross join asked
semi join best_known on best_known.id = if(asked.inverse, facts.object, facts.subject)
where facts.predicate = (select predicate from asked);
