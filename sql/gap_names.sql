-- The names of what could be an answer, as answers are compared.
--
-- reads:   gap_facts (answer), entities (id, label, aliases), accepted_forms (form, is_bare), normal_answer
-- writes:  gap_names, one row per entity and name that some question accepts, as it is and bare
-- params:  none
--
-- Bare is without accents: so EM_norm compares other names, but exact match does not.

create or replace table gap_names as

with answers as (
    select distinct answer as id
    from gap_facts
    where answer is not null
),

names as (
    select entities.id, unnest([entities.label] || entities.aliases) as name
    from entities
    semi join answers on answers.id = entities.id
),

normal as (
    select id, normal_answer(name) as form, false as is_bare
    from names
    union
    select id, strip_accents(normal_answer(name)), true
    from names
)

select normal.id, normal.form, normal.is_bare
from normal
semi join accepted_forms using (form, is_bare);
