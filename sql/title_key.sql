-- What the spellings of one title have in common: no case, accents, spaces, punctuation or article before it.
--
-- reads:   nothing
-- writes:  title_key(title), a macro
-- params:  none
--
-- "The Fast & the Furious!" and "fast and the furious" are one key, and so are "spider man" and "Spider-Man". One pass of
-- one expression: it runs on every title.

create or replace macro title_key(title) as
    regexp_replace(
        replace(lower(strip_accents(title)), '&', 'and'),
        '^[^\pL\pM\pN]*(?:the|an?)[^\pL\pM\pN]+|[^\pL\pM\pN]+', '', 'g'
    );
