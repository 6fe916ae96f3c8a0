-- The facts of the asked predicate that have qualifiers, and whether their statement has ended.
--
-- reads:   asked (end_qualifier), bucket_facts
-- writes:  qualified_facts, one row per fact
-- params:  none
--
-- A statement has ended if all its forms with qualifiers say so.

create or replace table qualified_facts as

select
    bucket_facts.*,
    bool_and(list_contains([q.name for q in bucket_facts.qualifiers], asked.end_qualifier) is true)
        over (partition by bucket_facts.subject, bucket_facts.object, bucket_facts.value) as has_ended
from bucket_facts
cross join asked
where bucket_facts.qualifiers is not null;
