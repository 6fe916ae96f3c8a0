-- The names that a subject shares with one that has a better claim to it.
--
-- reads:   asked (same_name), question_keys of all buckets (bucket, key_number, qualifier_texts, subject_id, rank), names
-- writes:  lesser_names, one row per such name; empty with the policy `merge`, for which equal questions become one pair
-- params:  none
--
-- A label has a better claim than an alias, and among labels that of the better known subject. Names are compared as
-- questions are, without case, repeated spaces and question marks at their ends. Most are the only ones of their kind,
-- which numbers tell fastest.

create or replace table lesser_names as

with comparable as (
    select
        names.bucket,
        names.key_number,
        names.name_number,
        name_key(array_to_string([names.name] || question_keys.qualifier_texts, chr(31))) as name_key,
        question_keys.subject_id,
        {'is_alias': names.name_number > 0, 'rank': question_keys.rank} as claim
    from names
    join question_keys using (bucket, key_number)
    where (select same_name from asked) <> 'merge'
),

repeated as (
    select hash(name_key) as name_hash
    from comparable
    group by name_hash
    having count(*) > 1
),

shared as (
    select comparable.name_key, arg_min(comparable.subject_id, comparable.claim) as best_subject
    from comparable
    semi join repeated on repeated.name_hash = hash(comparable.name_key)
    group by comparable.name_key
    having count(distinct comparable.subject_id) > 1
)

select comparable.bucket, comparable.key_number, comparable.name_number, comparable.subject_id
from comparable
join shared using (name_key)
where shared.best_subject <> comparable.subject_id;
