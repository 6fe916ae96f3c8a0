-- The names by which each question key's subject is asked about, and what became of names that several share.
--
-- reads:   asked (wants_aliases, same_name), question_keys, subject_aliases (id, aliases), subject_hints (subject_id, hint)
-- writes:  subject_names, one row per question key and name; name_number is 0 for the label; `refusal` as in keyed_facts
-- params:  none
--
-- Two subjects have the same name if it differs at most by case. With the policy `merge` nothing happens here: equal
-- questions become one pair later. With `hint` all but the best known get a hint in brackets behind their name; those
-- that have none are merged. With `drop` all but the best known are left out.
--
-- An alias must have a letter and three characters, and may not be the label again.

create or replace table subject_names as

with aliases as (
    select question_keys.key_number, unnest(subject_aliases.aliases) as name
    from question_keys
    join subject_aliases on subject_aliases.id = question_keys.subject_id
    join asked on asked.wants_aliases
),

useful_aliases as (
    select distinct on (key_number, lower(name)) key_number, name
    from aliases
    join question_keys using (key_number)
    where
        lower(name) <> lower(subject_label)
        and length(name) between 3 and 300
        and regexp_matches(name, '\p{L}')
        and not regexp_matches(name, '[\x00-\x1f\x7f]')
    order by key_number, lower(name), name
),

names as (
    select key_number, 0 as name_number, subject_label as name
    from question_keys

    union all

    select key_number, row_number() over (partition by key_number order by name) as name_number, name
    from useful_aliases
    qualify name_number < 100
),

shared as (
    select lower(name) as name_key, qualifier_texts, min(key_number) as best_key
    from names
    join question_keys using (key_number)
    cross join asked
    where asked.same_name <> 'merge'
    group by all
    having count(distinct subject_id) > 1
),

lesser as (
    select names.key_number, names.name_number
    from names
    join question_keys using (key_number)
    join shared on shared.name_key = lower(names.name) and shared.qualifier_texts = question_keys.qualifier_texts
    join question_keys as best on best.key_number = shared.best_key
    where best.subject_id <> question_keys.subject_id
)

select
    names.key_number,
    names.name_number,
    if(lesser.key_number is not null and asked.same_name = 'hint' and subject_hints.hint is not null,
        names.name || ' (' || subject_hints.hint || ')', names.name) as name,
    names.name as plain_name,
    lesser.key_number is not null as is_shared,
    if(lesser.key_number is not null and asked.same_name = 'drop', 'a better known subject has the same name', null)
        as refusal
from names
cross join asked
left join lesser using (key_number, name_number)
left join question_keys using (key_number)
left join subject_hints on subject_hints.subject_id = question_keys.subject_id;
