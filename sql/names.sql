-- The names by which each question key's subject can be asked about: its label and, if asked for, its aliases.
--
-- reads:   question_keys (bucket, key_number, subject_label, subject_aliases)
-- writes:  names, a view, one row per question key and name; name_number is 0 for the label
-- params:  none
--
-- An alias must have a letter and three characters, and may not be the label again.

create or replace view names as

with aliases as (
    select bucket, key_number, subject_label, unnest(subject_aliases) as name
    from question_keys
    where len(subject_aliases) > 0
),

useful_aliases as (
    select distinct on (bucket, key_number, lower(name)) bucket, key_number, name
    from aliases
    where
        lower(name) <> lower(subject_label)
        and length(name) between 3 and 300
        and regexp_matches(name, '\p{L}')
        and not regexp_matches(name, '\p{Cc}')
    order by bucket, key_number, lower(name), name
)

select bucket, key_number, 0 as name_number, subject_label as name
from question_keys

union all

select bucket, key_number, row_number() over (partition by bucket, key_number order by name) as name_number, name
from useful_aliases
qualify name_number < 100;
