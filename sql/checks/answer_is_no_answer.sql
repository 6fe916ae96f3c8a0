-- Pairs with an answer that tells a reader nothing: empty, only punctuation, an id, or absurdly long.
--
-- reads:   pairs (qa_id, question, answer, objects)
-- returns: qa_id, detail; one row per offending pair

select qa_id, question || ' → ' || answer::varchar as detail
from pairs
where
    len(answer) = 0
    or list_bool_or([
        not regexp_matches(form, '[\p{L}\p{N}\p{S}]')
        or regexp_matches(form, '^https?://|[\x00-\x1f\x7f]')
        or length(form) > 300
        or (list_contains(objects, form) and regexp_full_match(form, 'Q[0-9]+|nm[0-9]{7,}|dbr:.*'))
        for form in answer
    ])
order by qa_id;
