-- The verified pairs in the order of the corpus, without the columns that are the same in all of them.
--
-- reads:   verified_pairs, the pairs of all parts
-- writes:  pair_rows, a view, one row per pair, sorted by qa_id
-- params:  none

create or replace view pair_rows as

select
    qa_id,
    question,
    answer,
    wording,
    subject,
    subject_label,
    subject_name,
    objects,
    popularity,
    places,
    wikipedia_title
from verified_pairs
order by qa_id;
