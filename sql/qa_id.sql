-- The identity of a pair: the same on every machine, and stable when only its answer changes.
--
-- reads:   nothing
-- writes:  qa_id(shard, wording, key), a macro; key is a list of text
-- params:  none
--
-- docs/formats.md states the rule in words, with a test vector.

create or replace macro qa_id(shard, wording, key) as
    left(sha256(nfc_normalize(array_to_string([shard, wording] || key, chr(31)))), 32);
