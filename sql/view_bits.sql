-- The views that hold each pair of a shard, as the sum of their bits.
--
-- reads:   corpus_rows (qa_id, subject, popularity, subject_label, subject_name), view_subjects (subject, bits),
--          view_matter (limits, label_bits), one row
-- writes:  view_bits (views), a view, one row per pair, in the order of qa_id
-- params:  none
--
-- A label may have a hint behind it, as in "heat (1986)". No two views have a bit in common.

create or replace view view_bits as

select
    (
        coalesce(view_subjects.bits, 0)
        + coalesce(
            list_sum(
                list_transform(
                    list_filter(view_matter.limits, lambda one: corpus_rows.popularity >= one.least),
                    lambda one: one.bits
                )
            ),
            0
        )
        + if(
            corpus_rows.subject_label is not null
            and (
                coalesce(corpus_rows.subject_name, corpus_rows.subject_label) = corpus_rows.subject_label
                or starts_with(corpus_rows.subject_name, corpus_rows.subject_label || ' (')
            ),
            view_matter.label_bits,
            0
        )
    )::bigint as views
from corpus_rows
cross join view_matter
left join view_subjects on view_subjects.subject = corpus_rows.subject
order by corpus_rows.qa_id;
