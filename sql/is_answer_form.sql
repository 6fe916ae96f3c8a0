-- Whether a text tells a reader something as an answer: no address, no control characters, not empty or absurdly long.
--
-- reads:   nothing
-- writes:  is_answer_form(form), a macro
-- params:  none

create or replace macro is_answer_form(form) as
    regexp_matches(form, '[\p{L}\p{N}\p{S}]')
    and not regexp_matches(form, '^https?://|\p{Cc}')
    and length(form) <= 300;
