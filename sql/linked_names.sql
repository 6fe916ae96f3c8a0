-- The names of entities, as they are written.
--
-- reads:   linkable_entities (number, label, aliases)
-- writes:  linked_names, a view, one row per entity and name
-- params:  none

create or replace view linked_names as

select number, label as name, true as is_label
from linkable_entities

union all

select number, unnest(aliases) as name, false as is_label
from linkable_entities;
