-- Pairs that give their best answer away: its words stand in the question.
--
-- reads:   pairs (qa_id, question, answer)
-- returns: qa_id, detail; one row per offending pair
--
-- Compared word by word, without case and punctuation: "art" does not stand in "who starts".

with words as (
    select
        qa_id,
        question,
        answer[1] as answer,
        ' ' || trim(regexp_replace(lower(question), '[^\p{L}\p{N}]+', ' ', 'g')) || ' ' as question_words,
        ' ' || trim(regexp_replace(lower(answer[1]), '[^\p{L}\p{N}]+', ' ', 'g')) || ' ' as answer_words
    from pairs
)

select qa_id, question || ' → ' || answer as detail
from words
where contains(question_words, answer_words) and trim(answer_words) <> ''
order by qa_id;
