-- Pairs whose best answer is not the name or value of an object that the stage states of their subject.
--
-- reads:   asked (predicate, answer, literal_kind, inverse), pairs (qa_id, subject_id, answer), facts, entities (id, label),
--          answer_forms
-- returns: qa_id, detail; one row per offending pair
--
-- Reads the facts anew instead of the tables the pairs were made from, so that a fault in those shows here. Where a
-- qualifier is the answer, it stands for the object; of an inverse template the subject does.

with asked_about as (
    select distinct subject_id as id
    from pairs
),

wanted as (
    select predicate, answer, literal_kind, inverse
    from asked
),

said as (
    select facts.subject, facts.object, facts.value, facts.kind
    from facts
    join wanted on wanted.answer is null and not wanted.inverse
    semi join asked_about on asked_about.id = facts.subject
    where facts.predicate = (select predicate from asked)

    union all

    select facts.object as subject, facts.subject as object, facts.value, facts.kind
    from facts
    join wanted on wanted.inverse
    semi join asked_about on asked_about.id = facts.object
    where facts.predicate = (select predicate from asked)

    union all

    select facts.subject, q.object, q.value, if(q.object is null, wanted.literal_kind, 'entity') as kind
    from facts
    join wanted on wanted.answer is not null
    semi join asked_about on asked_about.id = facts.subject
    cross join unnest(facts.qualifiers) as qualifier(q)
    where facts.predicate = (select predicate from asked) and q.name = wanted.answer
),

stated as (
    select said.subject as subject_id, entities.label as answer
    from said
    join entities on entities.id = said.object
    where said.kind = 'entity'

    union all

    select said.subject as subject_id, unnest(answer_forms.forms) as answer
    from said
    join answer_forms on answer_forms.kind = said.kind and answer_forms.value = said.value
    where said.kind <> 'entity'
)

select pairs.qa_id, pairs.question || ' → ' || pairs.answer[1] as detail
from pairs
anti join stated on stated.subject_id = pairs.subject_id and stated.answer = pairs.answer[1]
order by pairs.qa_id;
