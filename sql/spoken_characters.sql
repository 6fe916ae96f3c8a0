-- The characters that one text of a credit names, each as people say it; empty texts where nothing can be said.
--
-- reads:   spoken_character
-- writes:  spoken_characters(written), a macro that gives a list
-- params:  none
--
-- A stroke stands between two characters if it has a space beside it or words of three letters or more on both sides:
-- "Capt. Spock/Elevator Voice", but "B/M Thomas". "w/" is "with". One inside brackets at the end is none.

create or replace macro spoken_characters(written) as
    case when not contains(written, '/') then [spoken_character(written)] else
        list_transform(
            string_split_regex(
                regexp_replace(
                regexp_replace(
                regexp_replace(
                regexp_replace(
                    written,
                    '\bw/ *', 'with ', 'g'),
                    '(?: *\([^()]*\))+ *$', ''),
                    '([^ /]{3})/([^ /]{3})', '\1 / \2', 'g'),
                    '([^ /]{3})/([^ /]{3})', '\1 / \2', 'g'),
                ' +/ *| */ +'),
            lambda name: spoken_character(name))
    end;
