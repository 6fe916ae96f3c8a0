-- The names of what could be an answer, as answers are compared.
--
-- reads:   gap_facts (answer), entities (id, label, aliases), accepted_forms (form), normal_answer
-- writes:  gap_names, one row per entity and name that some question accepts
-- params:  none

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
    select id, normal_answer(name) as form
    from names
    union
    select id, strip_accents(normal_answer(name))
    from names
)

select normal.id, normal.form
from normal
semi join accepted_forms on accepted_forms.form = normal.form;
