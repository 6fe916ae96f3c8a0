-- The facts of the asked predicate, each statement in the form that the template needs.
--
-- reads:   asked (predicate, qualifiers, answer, literal_kind, inverse, end_qualifier), facts
-- writes:  asked_facts, one row per fact
-- params:  none
--
-- A statement may be staged twice, plain and with its qualifiers. A template that names qualifiers reads only facts that
-- have some; any other reads the plain form, and the other one of a statement that has no plain form.
--
-- Where a qualifier is the answer, it takes the place of the object, and the object becomes a qualifier named `object`;
-- an inverse template swaps subject and object: whatever follows need not know. A fact without that qualifier, or
-- without an entity as its object, is left out.
--
-- A statement has ended if all its forms with qualifiers say so.

create or replace table asked_facts as

with found as (
    select *
    from facts
    where predicate = (select predicate from asked)
),

qualified as (
    select *
    from found
    where qualifiers is not null
),

ended as (
    select subject, object, value
    from qualified
    cross join asked
    group by subject, object, value
    having bool_and(list_contains([q.name for q in qualified.qualifiers], asked.end_qualifier))
),

wanted as (
    select answer, literal_kind, inverse, len(qualifiers) > 0 as is_qualified
    from asked
),

chosen as (
    select found.*
    from found
    cross join wanted
    where found.qualifiers is null and not wanted.is_qualified

    union all

    select qualified.*
    from qualified
    cross join wanted
    where wanted.is_qualified

    union all

    select qualified.*
    from qualified
    cross join wanted
    anti join (from found where qualifiers is null) as plain
        on plain.subject = qualified.subject
        and plain.object is not distinct from qualified.object
        and plain.value is not distinct from qualified.value
    where not wanted.is_qualified
),

turned as (
    select
        chosen.*,
        wanted.inverse,
        wanted.answer is not null as is_turned,
        wanted.literal_kind,
        list_filter(chosen.qualifiers, lambda q: q.name = wanted.answer)[1] as answer,
        list_filter(chosen.qualifiers, lambda q: q.name <> wanted.answer) as others,
        ended.subject is not null as has_ended
    from chosen
    left join ended
        on ended.subject = chosen.subject
        and ended.object is not distinct from chosen.object
        and ended.value is not distinct from chosen.value
    cross join wanted
)

select
    if(inverse, object, subject) as subject,
    case when is_turned then answer.object when inverse then subject else object end as object,
    if(is_turned, answer.value, value) as value,
    case when not is_turned then kind when answer.object is null then literal_kind else 'entity' end as kind,
    if(is_turned, null, lang) as lang,
    if(is_turned, others || [{'name': 'object', 'object': object, 'value': value}], qualifiers) as qualifiers,
    place,
    has_ended
from turned
where (not is_turned or answer is not null) and (not inverse or object is not null);
