-- The verified pairs as rows of the corpus, in its order.
--
-- reads:   verified_pairs, the pairs of all parts; same_in_all (template, kind, licence, as_of), one row
-- writes:  pair_rows, a view, one row per pair, sorted by qa_id; all columns of a pair but those of its shard
-- params:  none

create or replace view pair_rows as

select
    verified_pairs.qa_id,
    null::bigint as ordinal,
    verified_pairs.question,
    verified_pairs.answer,
    same_in_all.template,
    verified_pairs.wording,
    verified_pairs.subject,
    verified_pairs.subject_label,
    verified_pairs.subject_name,
    verified_pairs.objects,
    same_in_all.kind,
    verified_pairs.popularity,
    same_in_all.licence,
    same_in_all.as_of,
    verified_pairs.places,
    verified_pairs.wikipedia_title
from verified_pairs
cross join same_in_all
order by verified_pairs.qa_id;
