-- Whether an alias or another form may stand beside the first form of an answer.
--
-- reads:   nothing
-- writes:  is_useful_form(form), a macro
-- params:  none

create or replace macro is_useful_form(form) as
    regexp_matches(form, '[\p{L}\p{N}]') and not regexp_matches(form, '[\x00-\x1f\x7f]') and length(form) <= 300;
