-- Pairs whose best answer is not the name or value of an object that the stage states of their subject.
--
-- reads:   asked (predicate), pairs (qa_id, subject, answer), facts, entities (id, label), answer_forms
-- returns: qa_id, detail; one row per offending pair
--
-- Reads the facts anew instead of the tables the pairs were made from, so that a fault in those shows here.

with stated as (
    select
        entity_text(facts.subject) as subject,
        unnest(case when facts.kind = 'entity' then [entities.label] else answer_forms.forms end) as answer
    from facts
    left join entities on entities.id = facts.object
    left join answer_forms on answer_forms.kind = facts.kind and answer_forms.value = facts.value
    where facts.predicate = (select predicate from asked)
)

select pairs.qa_id, pairs.question || ' → ' || pairs.answer[1] as detail
from pairs
anti join stated on stated.subject = pairs.subject and stated.answer = pairs.answer[1]
order by pairs.qa_id;
