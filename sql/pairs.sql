-- Question-answer pairs.
--
-- reads:   asked (shard), wordings (wording_number, wording), chosen_candidates (questions that stand once with their
--          answers, or merged_candidates)
-- writes:  pairs, one row per question
-- params:  none
--
-- First forms of all objects stand before any other form, each form once.
--
-- An identity is that of the question key, and of the name where it is not the subject's label.

create or replace table pairs as

with answered as (
    select *, first_forms || other_forms as forms
    from chosen_candidates
)

select
    qa_id(
        asked.shard,
        wordings.wording,
        [answered.subject] || answered.qualifier_key || if(answered.name_number = 0, [], [answered.plain_name])
    ) as qa_id,
    answered.question,
    case
        when len(answered.forms) = 1 or list_unique(answered.forms) = len(answered.forms) then answered.forms
        else list_filter(answered.forms, lambda form, i: list_position(answered.forms, form) = i)
    end as answer,
    wordings.wording,
    answered.subject_id,
    answered.subject,
    answered.subject_label,
    answered.name as subject_name,
    answered.objects,
    answered.popularity,
    answered.places,
    answered.wikipedia_title,
    answered.subject_form,
    answered.n_keys
from answered
join wordings on wordings.wording_number = answered.wording_number
cross join asked;
