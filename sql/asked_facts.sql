-- The facts of a bucket, each statement in the form that the template needs.
--
-- reads:   asked (qualifiers, answer, literal_kind, inverse), bucket_facts, qualified_facts
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
-- Most predicates have few facts with qualifiers: what is compared with those is compared with nothing larger.

create or replace table asked_facts as

with wanted as (
    select answer, literal_kind, inverse, len(qualifiers) > 0 as is_qualified
    from asked
),

plain as (
    select bucket_facts.*
    from bucket_facts
    join wanted on not wanted.is_qualified
    where bucket_facts.qualifiers is null
),

ended as (
    select distinct subject, object, value
    from qualified_facts
    where has_ended
),

plain_with_qualifiers as (
    select plain.subject, plain.object, plain.value
    from plain
    semi join qualified_facts on qualified_facts.subject = plain.subject
),

chosen as (
    select plain.*, ended.subject is not null as has_ended
    from plain
    left join ended
        on ended.subject = plain.subject
        and ended.object is not distinct from plain.object
        and ended.value is not distinct from plain.value

    union all

    select qualified_facts.*
    from qualified_facts
    join wanted on wanted.is_qualified

    union all

    select qualified_facts.*
    from qualified_facts
    join wanted on not wanted.is_qualified
    anti join plain_with_qualifiers as twin
        on twin.subject = qualified_facts.subject
        and twin.object is not distinct from qualified_facts.object
        and twin.value is not distinct from qualified_facts.value
),

turned as (
    select
        chosen.*,
        wanted.inverse,
        wanted.answer is not null as is_turned,
        wanted.literal_kind,
        list_filter(chosen.qualifiers, lambda q: q.name = wanted.answer)[1] as answer,
        list_filter(chosen.qualifiers, lambda q: q.name <> wanted.answer) as others
    from chosen
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
