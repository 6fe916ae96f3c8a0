-- The subjects of facts that bear a name which questions mention.
--
-- reads:   facts (subject), entities (id, label, aliases), asked_names (name)
-- writes:  named_subjects (id), one row per subject, in their order
-- params:  none
--
-- Names are compared without case, accents, spaces, punctuation and article.

create or replace table named_subjects as

with keys as (
    select distinct title_key(name) as key
    from asked_names
    where title_key(name) <> ''
),

names as (
    select id, unnest([label] || aliases) as name
    from entities
)

select distinct names.id
from names
semi join keys on keys.key = title_key(names.name)
semi join facts on facts.subject = names.id
order by names.id;
