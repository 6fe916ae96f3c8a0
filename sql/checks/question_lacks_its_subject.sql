-- Pairs whose question does not name its subject.
--
-- reads:   pairs (qa_id, question, subject_form)
-- returns: qa_id, detail; one row per offending pair

select qa_id, question || ' lacks ' || subject_form as detail
from pairs
where subject_form = '' or not contains(question, subject_form)
order by qa_id;
