-- The facts that answer questions: what a question mentions has one, and its answer is what the question accepts.
--
-- reads:   asked (question, place, id), gap_facts, gap_names (id, form, is_bare), value_forms (kind, value, form),
--          accepted_forms (question, form, is_bare, part), accepted_values (question, kind, value, part), entities (id, label)
-- writes:  gap_matches, one row per question, predicate, direction and path
-- params:  none
--
-- `place` says how likely the question is about this entity: 0 is the likeliest, and of several the best is told. So is the
-- strictest of the parts by which the answer is right.

create or replace table gap_matches as

with entity_answers as (
    select asked.question, asked.place, gap_facts.*, accepted_forms.part
    from gap_names
    join accepted_forms using (form, is_bare)
    join gap_facts on gap_facts.answer = gap_names.id
    join asked on asked.id = gap_facts.entity and asked.question = accepted_forms.question
),

value_answers as (
    select asked.question, asked.place, gap_facts.*, accepted_forms.part
    from value_forms
    join accepted_forms using (form)
    join gap_facts on gap_facts.value = value_forms.value and gap_facts.kind = value_forms.kind
    join asked on asked.id = gap_facts.entity and asked.question = accepted_forms.question
),

judged_values as (
    select asked.question, asked.place, gap_facts.*, accepted_values.part
    from accepted_values
    join asked on asked.question = accepted_values.question
    join gap_facts
        on gap_facts.entity = asked.id
        and gap_facts.value = accepted_values.value
        and gap_facts.kind = accepted_values.kind
),

found as (
    from entity_answers
    union all
    from value_answers
    union all
    from judged_values
),

best as (
    select distinct on (question, predicate, inverse, path) *
    from found
    order by question, predicate, inverse, path, place, part, entity, answer, value
)

select
    best.question,
    best.place,
    entity_text(best.entity) as entity,
    subjects.label as entity_label,
    predicate_text(best.predicate) as predicate,
    best.inverse,
    best.path,
    coalesce(entity_text(best.answer), best.value) as answer,
    coalesce(objects.label, best.value) as answer_text,
    best.n_answers,
    best.part
from best
left join entities as subjects on subjects.id = best.entity
left join entities as objects on objects.id = best.answer
order by best.question, best.place, best.part, best.predicate, best.inverse, best.path;
