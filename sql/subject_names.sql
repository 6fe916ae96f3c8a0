-- The names by which each question key's subject is asked about, and what became of names that several share.
--
-- reads:   asked (same_name), question_keys, subject_hints (subject_id, hint)
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
    select rowid as key_number, subject_label, unnest(subject_aliases) as name
    from question_keys
    where len(subject_aliases) > 0
),

useful_aliases as (
    select distinct on (key_number, lower(name)) key_number, name
    from aliases
    where
        lower(name) <> lower(subject_label)
        and length(name) between 3 and 300
        and regexp_matches(name, '\p{L}')
        and not regexp_matches(name, '[\x00-\x1f\x7f]')
    order by key_number, lower(name), name
),

names as (
    select rowid as key_number, 0 as name_number, subject_label as name
    from question_keys

    union all

    select key_number, row_number() over (partition by key_number order by name) as name_number, name
    from useful_aliases
    qualify name_number < 100
),

comparable as (
    select
        names.key_number,
        names.name_number,
        lower(names.name) as name_key,
        question_keys.qualifier_texts,
        question_keys.subject_id,
        question_keys.rank
    from names
    join question_keys on question_keys.rowid = names.key_number
    join asked on asked.same_name <> 'merge'
),

shared as (
    select name_key, qualifier_texts, arg_min(subject_id, rank) as best_subject
    from comparable
    group by name_key, qualifier_texts
    having count(distinct subject_id) > 1
),

lesser as (
    select comparable.key_number, comparable.name_number, subject_hints.hint
    from comparable
    join shared using (name_key, qualifier_texts)
    left join subject_hints using (subject_id)
    where shared.best_subject <> comparable.subject_id
)

select
    names.key_number,
    names.name_number,
    if(asked.same_name = 'hint' and lesser.hint is not null, names.name || ' (' || lesser.hint || ')', names.name)
        as name,
    names.name as plain_name,
    if(asked.same_name = 'drop' and lesser.key_number is not null, 'a better known subject has the same name', null)
        as refusal
from names
left join lesser using (key_number, name_number)
cross join asked;
