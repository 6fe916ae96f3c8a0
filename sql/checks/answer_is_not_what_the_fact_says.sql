-- Pairs whose best answer is not the name or value of an object that the stage states of their subject.
--
-- reads:   asked (predicate, answer, literal_kind, inverse), pairs (qa_id, subject, answer), facts, entities (id, label),
--          answer_forms
-- returns: qa_id, detail; one row per offending pair
--
-- Reads the facts anew instead of the tables the pairs were made from, so that a fault in those shows here. Where a
-- qualifier is the answer, it stands for the object; of an inverse template the subject does.

with said as (
    select
        if(asked.inverse, facts.object, facts.subject) as subject,
        unnest(
            case
                when asked.inverse
                    then [{'object': facts.subject, 'value': facts.value, 'kind': facts.kind}]
                when asked.answer is null
                    then [{'object': facts.object, 'value': facts.value, 'kind': facts.kind}]
                else [
                    {'object': q.object, 'value': q.value, 'kind': if(q.object is null, asked.literal_kind, 'entity')}
                    for q in facts.qualifiers
                    if q.name = asked.answer
                ]
            end,
            recursive := true
        )
    from facts
    cross join asked
    where facts.predicate = (select predicate from asked)
),

stated as (
    select
        entity_text(said.subject) as subject,
        unnest(case when said.kind = 'entity' then [entities.label] else answer_forms.forms end) as answer
    from said
    left join entities on entities.id = said.object
    left join answer_forms on answer_forms.kind = said.kind and answer_forms.value = said.value
)

select pairs.qa_id, pairs.question || ' → ' || pairs.answer[1] as detail
from pairs
anti join stated on stated.subject = pairs.subject and stated.answer = pairs.answer[1]
order by pairs.qa_id;
