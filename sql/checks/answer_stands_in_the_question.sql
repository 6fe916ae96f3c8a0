-- Pairs that give their best answer away: its words stand in the question.
--
-- reads:   pairs (qa_id, question, answer)
-- returns: qa_id, detail; one row per offending pair
--
-- Compared word by word, without case and punctuation: "art" does not stand in "who starts". Where not even the
-- answer's first word is a part of the question, which is quickly seen, nothing else is compared.

with suspects as (
    select qa_id, question, answer[1] as answer
    from pairs
    where contains(lower(question), lower(regexp_extract(answer[1], '[\p{L}\p{N}]+')))
),

words as (
    select
        qa_id,
        question,
        answer,
        ' ' || trim(regexp_replace(lower(question), '[^\p{L}\p{N}]+', ' ', 'g')) || ' ' as question_words,
        ' ' || trim(regexp_replace(lower(answer), '[^\p{L}\p{N}]+', ' ', 'g')) || ' ' as answer_words
    from suspects
)

select qa_id, question || ' → ' || answer as detail
from words
where contains(question_words, answer_words) and trim(answer_words) <> ''
order by qa_id;
