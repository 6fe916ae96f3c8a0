-- A name as questions are compared: without case, repeated spaces and question marks at its ends.
--
-- reads:   nothing
-- writes:  name_key(name), a macro
-- params:  none

create or replace macro name_key(name) as
    replace(trim(lower(trim(regexp_replace(nfc_normalize(name), '\s+', ' ', 'g'))), '? '), 'ς', 'σ');
