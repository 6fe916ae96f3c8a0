-- Pairs of a template that asks about now whose best answer comes from statements that have all ended.
--
-- reads:   asked (predicate, inverse, end_qualifier), pairs (qa_id, question, answer, subject_id, objects), facts
-- returns: qa_id, detail; one row per offending pair
--
-- Reads the facts anew. A statement is one of subject and object; it has ended if every form with qualifiers says so.

with statements as (
    select
        if(asked.inverse, facts.object, facts.subject) as subject_id,
        if(asked.inverse, entity_text(facts.subject), coalesce(entity_text(facts.object), facts.value)) as object
    from facts
    join asked on asked.predicate = facts.predicate and asked.end_qualifier is not null
    where facts.qualifiers is not null
    group by all
    having bool_and(list_contains([q.name for q in facts.qualifiers], asked.end_qualifier))
)

select pairs.qa_id, pairs.question || ' → ' || pairs.answer[1] as detail
from pairs
semi join statements on statements.subject_id = pairs.subject_id and statements.object = pairs.objects[1]
order by pairs.qa_id;
