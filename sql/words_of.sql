-- The words of a text between single spaces, for finding one text in another word by word.
--
-- reads:   nothing
-- writes:  words_of(text), may_stand_in(text, question) and stands_in(text, question), macros
-- params:  none
--
-- Without case and punctuation: "art" does not stand in "who starts", "c" does not stand in "c++". The question must be
-- in PAQ's form. That not even the first letters of a text are a part of the question is quickly seen: few texts are worth
-- a closer look.

create or replace macro words_of(text) as
    ' ' || trim(regexp_replace(replace(lower(nfc_normalize(text)), 'ς', 'σ'), '[^\p{L}\p{N}+#]+', ' ', 'g')) || ' ';

create or replace macro may_stand_in(text, question) as
    contains(question, lower(left(nfc_normalize(text), 3))) or not regexp_matches(text, '^[A-Za-z0-9]{3}');

create or replace macro stands_in(text, question) as
    length(words_of(text)) > 2 and contains(words_of(question), words_of(text));
