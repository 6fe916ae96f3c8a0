-- An answer as PAQ compares it: lower case, without ASCII punctuation, articles and extra spaces.
--
-- reads:   nothing
-- writes:  normal_answer(form), a macro
-- params:  none
--
-- The same as factmill/scoring/exact.py for text in lower case, which a test shows. A neighbour that ends one article begins
-- the next, so they are taken out in two rounds. Python's letters and numbers are \p{L} and \p{N}.

create or replace macro normal_answer(form) as
    trim(regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(lower(form), '[!-/:-@\[-`{-~]', '', 'g'),
                '(^|[^\p{L}\p{N}])(?:an?|the)($|[^\p{L}\p{N}])', '\1 \2', 'g'
            ),
            '(^|[^\p{L}\p{N}])(?:an?|the)($|[^\p{L}\p{N}])', '\1 \2', 'g'
        ),
        '[\s\x0b\x1c-\x1f\x{85}\p{Z}]+', ' ', 'g'
    ));
