-- The rendered questions of a bucket that another one may be equal to, apart by parts that equal questions share.
--
-- reads:   parts (n_parts), answered_questions
-- writes:  crowded_questions, a view, one row per question
-- params:  none

create or replace view crowded_questions as

select answered_questions.*, hash(question) % parts.n_parts as part
from answered_questions
cross join parts
where is_repeated;
