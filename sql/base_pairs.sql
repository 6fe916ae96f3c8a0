-- Imported pairs with their identity: the question and how often it stood before, so that an inserted line leaves the
-- ids of all others alone.
--
-- reads:   imported (ordinal, question, answer), asked (shard)
-- writes:  base_pairs, a view, one row per imported line, duplicates included, in the order of the file
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
    imported.answer
from imported
left join counted on counted.ordinal = imported.ordinal
cross join asked
order by imported.ordinal;
