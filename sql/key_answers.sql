-- The answers of the question keys that one fact answers: its object and all its forms.
--
-- reads:   keyed_facts, crowded_keys
-- writes:  key_answers, one row per such key: `first_forms`, one an object, `other_forms`, `objects` and `places`
-- params:  none
--
-- sql/crowded_key_answers.sql adds the other keys. Most keys have one fact, and lists of one cost little.

create or replace macro is_useful_form(form) as
    regexp_matches(form, '[\p{L}\p{N}]') and not regexp_matches(form, '[\x00-\x1f\x7f]') and length(form) <= 300;

create or replace table key_answers as

select
    keyed_facts.subject_id,
    keyed_facts.qualifier_number,
    keyed_facts.forms[1:1] as first_forms,
    list_filter(keyed_facts.forms[2:], lambda form: is_useful_form(form)) as other_forms,
    [keyed_facts.object] as objects,
    [keyed_facts.place] as places
from keyed_facts
anti join crowded_keys using (subject_id, qualifier_number)
where keyed_facts.refusal is null;
