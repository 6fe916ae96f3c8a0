-- Pairs with an answer that tells a reader nothing: empty, only punctuation, an id, or absurdly long.
--
-- reads:   pairs (qa_id, question, answer, objects)
-- returns: qa_id, detail; one row per offending pair
--
-- All forms of a pair are looked at as one text first, with the control character U+001F between them: that is fast, and
-- few need a closer look.

with suspects as (
    select qa_id, question, answer, objects
    from pairs
    where
        len(answer) = 0
        or length(array_to_string(answer, chr(31))) > 300
        or regexp_matches(
            array_to_string(answer, chr(31)),
            '(^|\x1f)(https?://|[^\p{L}\p{N}\p{S}]*(\x1f|$)|Q[0-9]+(\x1f|$)|nm[0-9]{7}|dbr:)|[\x00-\x1e\x7f-\x9f]'
        )
)

select qa_id, question || ' → ' || answer::varchar as detail
from suspects
where
    len(answer) = 0
    or list_bool_or([
        not regexp_matches(form, '[\p{L}\p{N}\p{S}]')
        or regexp_matches(form, '^https?://|\p{Cc}')
        or length(form) > 300
        or (list_contains(objects, form) and regexp_full_match(form, 'Q[0-9]+|nm[0-9]{7,}|dbr:.*'))
        for form in answer
    ])
order by qa_id;
