-- Whether a text stands in a question, word by word.
--
-- reads:   words_of
-- writes:  stands_in(text, question), a macro
-- params:  none

create or replace macro stands_in(text, question) as
    length(words_of(text)) > 2 and contains(words_of(question), words_of(text));
