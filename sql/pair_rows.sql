-- The verified pairs in the columns and the order of the corpus.
--
-- reads:   asked (source, predicate_key, template, pair_kind, licence, as_of), pairs
-- writes:  pair_rows, a view, one row per pair; all columns of a pair, sorted by qa_id
-- params:  none

create or replace view pair_rows as

select
    pairs.qa_id,
    null::bigint as ordinal,
    pairs.question,
    pairs.answer,
    asked.source,
    asked.predicate_key as predicate,
    asked.template,
    pairs.wording,
    pairs.subject,
    pairs.subject_label,
    pairs.subject_name,
    pairs.objects,
    asked.pair_kind as kind,
    pairs.popularity,
    asked.licence,
    asked.as_of,
    pairs.places,
    pairs.wikipedia_title,
    0::bigint as views
from pairs
cross join asked
order by pairs.qa_id;
