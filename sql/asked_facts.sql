-- The facts of the asked predicate, each statement in the form that the template needs.
--
-- reads:   asked (predicate, qualifiers), facts
-- writes:  asked_facts, one row per fact
-- params:  none
--
-- A statement may be staged twice, plain and with its qualifiers. A template that names qualifiers reads only facts that
-- have some; any other reads the plain form, and the other one of a statement that has no plain form.

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
    select len(qualifiers) > 0 as is_qualified
    from asked
)

select found.* exclude (is_qualified)
from found
join forms
    on forms.subject = found.subject
    and forms.object is not distinct from found.object
    and forms.value is not distinct from found.value
cross join wanted
where case when wanted.is_qualified then found.is_qualified else not (forms.are_both and found.is_qualified) end;
