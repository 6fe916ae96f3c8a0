-- Imported pairs with their identity: the question and how often it stood before, so that an inserted line leaves the
-- ids of all others alone.
--
-- reads:   imported (ordinal, question, answer), asked (shard, source, predicate, licence)
-- writes:  base_pairs, one row per imported line, duplicates included; all columns of a pair
-- params:  none

create or replace table base_pairs as

with numbered as (
    select *, row_number() over (partition by nfc_normalize(question) order by ordinal) as occurrence
    from imported
)

select
    qa_id(asked.shard, '', [numbered.question, numbered.occurrence::varchar]) as qa_id,
    numbered.ordinal,
    numbered.question,
    numbered.answer,
    asked.source,
    asked.predicate,
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
    null::varchar as wikipedia_title,
    0::bigint as views
from numbered
cross join asked
order by qa_id;
