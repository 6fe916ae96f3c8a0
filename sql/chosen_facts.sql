-- The facts of the asked predicate, apart by buckets of the things that are asked about.
--
-- reads:   asked (predicate, inverse), parts (n_parts), facts
-- writes:  chosen_facts, a view, one row per fact
-- params:  none
--
-- Everything up to the question key concerns one subject at a time, so a large shard is milled in buckets of subjects
-- that fit into memory, however large it is.

create or replace view chosen_facts as

select facts.*, coalesce(hash(if(asked.inverse, facts.object, facts.subject)) % parts.n_parts, 0) as bucket
from facts
cross join asked
cross join parts
where facts.predicate = (select predicate from asked);
