-- Whether a text is worth a closer look: where not even its first letters are a part of the question, it does not stand in it.
--
-- reads:   nothing
-- writes:  may_stand_in(text, question), a macro
-- params:  none
--
-- The question must be in PAQ's form. What does not begin with three plain letters or digits is always looked at.

create or replace macro may_stand_in(text, question) as
    contains(question, lower(left(nfc_normalize(text), 3))) or not regexp_matches(text, '^[A-Za-z0-9]{3}');
