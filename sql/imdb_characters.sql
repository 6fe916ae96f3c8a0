-- The characters of the acting credits as people say them.
--
-- reads:   imdb_credits, spoken_character, spoken_characters, is_self
-- writes:  imdb_characters, a view, one row per character of a credit; `fate` is null where it may be a fact
-- params:  none
--
-- `characters` is a JSON list in a file without CSV quoting. Nine in ten are one name without an escape, which needs no
-- JSON parser.

create or replace view imdb_characters as

with acting as (
    select
        subject_no,
        nconst,
        first_no,
        characters,
        split_part(characters, '"', 2) as between_quotes,
        strlen(characters) = strlen(between_quotes) + 4
            and prefix(characters, '["')
            and suffix(characters, '"]')
            and not contains(between_quotes, '\')
            and not contains(between_quotes, '/') as is_one_name
    from imdb_credits
    where role = 'acts' and fate is null
),

lists as (
    select
        subject_no,
        nconst,
        first_no,
        characters,
        case when json_valid(characters) and json_type(characters) = 'ARRAY' then characters->'$[*]' end as items
    from acting
    where not is_one_name
),

listed as (
    select
        subject_no,
        nconst,
        first_no,
        characters,
        unnest(case
            when len(items) > 0 then [if(json_type(item) = 'VARCHAR', item->>'$', null) for item in items]
            else [null]
        end) as written
    from lists
),

spoken as (
    select
        subject_no,
        nconst,
        first_no,
        characters,
        between_quotes as written,
        spoken_character(between_quotes) as character
    from acting
    where is_one_name
    union all
    select
        subject_no,
        nconst,
        first_no,
        characters,
        written,
        unnest(if(written is null, [null], spoken_characters(written)))
    from listed
)

select
    subject_no,
    nconst,
    first_no,
    coalesce(nullif(character, ''), nullif(written, ''), characters) as character,
    case
        when written is null or written = '' then 'the characters are no JSON list of names'
        when is_self(character) then 'plays themselves'
        when character = '' then 'nothing is left of the name of the character'
    end as fate
from spoken;
