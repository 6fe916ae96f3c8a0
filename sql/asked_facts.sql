-- The facts of the asked predicate, each statement in the form that the template needs.
--
-- reads:   asked (predicate, qualifiers, answer, literal_kind), facts
-- writes:  asked_facts, one row per fact
-- params:  none
--
-- A statement may be staged twice, plain and with its qualifiers. A template that names qualifiers reads only facts that
-- have some; any other reads the plain form, and the other one of a statement that has no plain form.
--
-- Where a qualifier is the answer, it takes the place of the object, and the object becomes a qualifier named `object`:
-- whatever follows need not know. A fact without that qualifier is left out.

create or replace table asked_facts as

with found as (
    select *, qualifiers is not null as is_qualified
    from facts
    where predicate = (select predicate from asked)
),

forms as (
    select subject, object, value, bool_or(is_qualified) and not bool_and(is_qualified) as are_both
    from found
    group by subject, object, value
),

wanted as (
    select answer, literal_kind, len(qualifiers) > 0 as is_qualified
    from asked
),

chosen as (
    select
        found.* exclude (is_qualified),
        wanted.answer is not null as is_turned,
        wanted.literal_kind,
        list_filter(found.qualifiers, lambda q: q.name = wanted.answer)[1] as answer,
        list_filter(found.qualifiers, lambda q: q.name <> wanted.answer) as others
    from found
    join forms
        on forms.subject = found.subject
        and forms.object is not distinct from found.object
        and forms.value is not distinct from found.value
    cross join wanted
    where case when wanted.is_qualified then found.is_qualified else not (forms.are_both and found.is_qualified) end
)

select
    predicate,
    subject,
    if(is_turned, answer.object, object) as object,
    if(is_turned, answer.value, value) as value,
    case when not is_turned then kind when answer.object is null then literal_kind else 'entity' end as kind,
    if(is_turned, null, lang) as lang,
    if(is_turned, others || [{'name': 'object', 'object': object, 'value': value}], qualifiers) as qualifiers,
    place
from chosen
where not is_turned or answer is not null;
