-- Pairs whose question is not what PAQ's tools expect: no final question mark, single spaces, 3 to 500 characters.
--
-- reads:   pairs (qa_id, question)
-- returns: qa_id, detail; one row per offending pair

select qa_id, left(question, 500) as detail
from pairs
where
    length(question) not between 3 and 500
    or ends_with(question, '?')
    or question <> trim(question)
    or contains(question, '  ')
    or regexp_matches(question, '\p{Cc}')
order by qa_id;
