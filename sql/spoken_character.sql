-- A character's name as people say it; empty where nothing can be said.
--
-- reads:   nothing
-- writes:  spoken_character(written), a macro
-- params:  none
--
-- docs/imdb.md states the rules in words. From the inside out: white space; what stands in brackets at the end, also
-- where a bracket is not closed; texts with the end of a bracket alone are torn; signs before the name; ranks, if two
-- words are left; numbers; signs behind it; quotes around it; and something must be left. Most names are letters and
-- need none of this.

create or replace macro spoken_character(written) as
    case when not regexp_matches(written, '[^\pL ]|  |^ | $') then written else
        regexp_replace(
        regexp_replace(
        regexp_replace(
        regexp_replace(
        regexp_replace(
        regexp_replace(
        regexp_replace(
        regexp_replace(
            written,
            '[\s\x{a0}]+', ' ', 'g'),
            '(?:[-–,\x3b: ]*\([^()]*\)?)+[-–,\x3b: ]*$', ''),
            '^[^(]*\).*$', ''),
            '^[-–—.,\x3b:* ]+', ''),
            '^(?:(?:Det|Sgt|Lt|Lieut|Capt|Cpt|Col|Cpl|Maj|Gen|Pvt|Pfc|Sfc|SSgt|MSgt|Cmdr|Cdr|Adm|Brig|Insp|Const|Ofc|Supt)\. ?)+((?:(?:\p{Lu}\.)+|["''“‘]?\p{Lu}[^ .]*) [^ ].*)$', '\1'),
            '^(.*[^ #]) ?(?:#|\b[Nn]o\.) ?[0-9]+$', '\1'),
            '[-–—,\x3b: ]+$', ''),
            '^(?:''([^'']*)''|"([^"]*)"|[^\pL\pN]*)$', '\1\2')
    end;
