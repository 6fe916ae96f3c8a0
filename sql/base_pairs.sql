-- Imported pairs with their identity: the question and how often it stood before, so that an inserted line leaves the
-- ids of all others alone.
--
-- reads:   imported (ordinal, question, answer), asked (shard, licence)
-- writes:  base_pairs, a view, one row per imported line, duplicates included, in the order of the file; all columns of a
--          pair but those of its shard
-- params:  none
--
-- Most questions stand once, which numbers tell fastest: only those whose hash stands twice are counted.

create or replace view base_pairs as

with repeated as (
    select hash(nfc_normalize(question)) as question_hash
    from imported
    group by question_hash
    having count(*) > 1
),

counted as (
    select
        imported.ordinal,
        row_number() over (partition by nfc_normalize(imported.question) order by imported.ordinal) as occurrence
    from imported
    semi join repeated on repeated.question_hash = hash(nfc_normalize(imported.question))
)

select
    qa_id(asked.shard, '', [imported.question, coalesce(counted.occurrence, 1)::varchar]) as qa_id,
    imported.ordinal,
    imported.question,
    imported.answer,
    null::varchar as template,
    null::varchar as wording,
    null::varchar as subject,
    null::varchar as subject_label,
    null::varchar as subject_name,
    null::varchar[] as objects,
    'single' as kind,
    null::bigint as popularity,
    asked.licence,
    null::date as as_of,
    null::varchar[] as places,
    null::varchar as wikipedia_title
from imported
left join counted on counted.ordinal = imported.ordinal
cross join asked
order by imported.ordinal;
