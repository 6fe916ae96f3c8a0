-- The facts of the asked predicate that have qualifiers, and whether their statement has ended.
--
-- reads:   asked (predicate, end_qualifier), facts
-- writes:  qualified_facts, one row per fact
-- params:  none
--
-- A statement has ended if all its forms with qualifiers say so.

create or replace table qualified_facts as

select
    facts.*,
    bool_and(list_contains([q.name for q in facts.qualifiers], asked.end_qualifier) is true)
        over (partition by facts.subject, facts.object, facts.value) as has_ended
from facts
cross join asked
where facts.predicate = (select predicate from asked) and facts.qualifiers is not null;
