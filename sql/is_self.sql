-- Whether somebody plays no character but themselves: "Self", "Himself - Host", "self (archive footage)".
--
-- reads:   nothing
-- writes:  is_self(written), a macro
-- params:  none

create or replace macro is_self(written) as
    regexp_matches(written, '^(?i:self|himself|herself|themself|themselves)(?:$|[^-\pL]|-[^\pL])');
