-- Candidates with equal questions as one.
--
-- reads:   usable_candidates
-- writes:  merged_candidates, one row per question; `n_keys` counts the question keys that it stands for
-- params:  none
--
-- Two subjects with the same name give the same question. Who bears the name as a label comes before who bears it as an
-- alias, the better known before the lesser known. The first gives the pair its identity and its answers come first.
-- Spoilt candidates give no answers unless all are.

create or replace table merged_candidates as

with foremost as (
    select *
    from usable_candidates
    qualify row_number() over (partition by question order by claim, name_number, wording_number) = 1
),

merged_keys as (
    select
        question,
        min(claim) as claim,
        any_value(first_forms) as first_forms,
        any_value(other_forms) as other_forms,
        any_value(objects) as objects,
        any_value(places) as places
    from usable_candidates
    group by question, rank
),

counted as (
    select question, count(*) as n_keys
    from merged_keys
    group by question
),

answers as (
    select
        question,
        flatten(list(first_forms order by claim)) as first_forms,
        flatten(list(other_forms order by claim)) as other_forms,
        flatten(list(objects order by claim)) as objects,
        flatten(list(places order by claim)) as places
    from (from merged_keys qualify not claim.is_spoilt or bool_and(claim.is_spoilt) over (partition by question))
    group by question
)

select
    foremost.*
        replace (
            answers.first_forms as first_forms,
            answers.other_forms as other_forms,
            answers.objects as objects,
            answers.places as places
        ),
    counted.n_keys
from foremost
join answers using (question)
join counted using (question);
