-- Pairs whose question does not name its subject.
--
-- reads:   pairs (qa_id, question, subject_form)
-- returns: qa_id, detail; one row per offending pair
--
-- A Greek sigma is written in another way at the end of a word, so the end of a name may look different in a question.

select qa_id, question || ' lacks ' || subject_form as detail
from pairs
where
    subject_form = ''
    or (not contains(question, subject_form) and not contains(replace(question, 'ς', 'σ'), replace(subject_form, 'ς', 'σ')))
order by qa_id;
