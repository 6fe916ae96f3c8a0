-- Rendered questions with the answers that do not stand in them.
--
-- reads:   candidates (question, first_forms, other_forms, objects, places and the rest of answered_questions)
-- writes:  usable_candidates, a view, one row per candidate; `claim` orders those of one question, the best first
-- params:  none
--
-- If all answers stand in the question they stay, and the pair is refused; such a candidate is spoilt.

create or replace view usable_candidates as

with suspects as (
    select
        *,
        list_filter(range(1, len(first_forms) + 1), lambda i: not stands_in(first_forms[i], question)) as kept,
        list_filter(other_forms, lambda form: not stands_in(form, question)) as kept_forms
    from candidates
    where list_bool_or([may_stand_in(form, question) for form in first_forms || other_forms])
)

select
    * exclude (kept, kept_forms)
        replace (
            if(len(kept) > 0, [first_forms[i] for i in kept], first_forms) as first_forms,
            if(len(kept) > 0, [objects[i] for i in kept], objects) as objects,
            if(len(kept) > 0, [places[i] for i in kept], places) as places,
            kept_forms as other_forms
        ),
    {'is_spoilt': len(kept) = 0, 'is_alias': name_number > 0, 'rank': rank} as claim
from suspects

union all

select *, {'is_spoilt': false, 'is_alias': name_number > 0, 'rank': rank} as claim
from candidates
where not list_bool_or([may_stand_in(form, question) for form in first_forms || other_forms]);
