-- The words of a text between single spaces, for finding one text in another word by word.
--
-- reads:   nothing
-- writes:  words_of(text), a macro
-- params:  none
--
-- Without case and punctuation: "art" does not stand in "who starts", "c" does not stand in "c++".

create or replace macro words_of(text) as
    ' ' || trim(regexp_replace(replace(lower(nfc_normalize(text)), 'ς', 'σ'), '[^\p{L}\p{N}+#]+', ' ', 'g')) || ' ';
