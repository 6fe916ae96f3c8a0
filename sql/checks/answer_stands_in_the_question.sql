-- Pairs that give an answer away: its words stand in the question.
--
-- reads:   pairs (qa_id, question, answer)
-- returns: qa_id, detail; one row per offending pair
--
-- Compared word by word, without case and punctuation: "art" does not stand in "who starts".

with suspects as (
    select qa_id, question, answer
    from pairs
    where list_bool_or([may_stand_in(form, question) for form in answer])
)

select qa_id, question || ' → ' || array_to_string(list_filter(answer, lambda form: stands_in(form, question)), ', ')
    as detail
from suspects
where list_bool_or([stands_in(form, question) for form in answer])
order by qa_id;
