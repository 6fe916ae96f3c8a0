-- The characters of the acting credits as people say them.
--
-- reads:   imdb_credits
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
            and not contains(between_quotes, '\') as is_one_name
    from imdb_credits
    where role = 'acts' and fate is null
),

parsed as (
    select
        subject_no,
        nconst,
        first_no,
        case when json_valid(characters) and json_type(characters) = 'ARRAY' then characters->'$[*]' end as items
    from acting
    where not is_one_name
),

written as (
    select subject_no, nconst, first_no, between_quotes as written
    from acting
    where is_one_name
    union all
    select
        subject_no,
        nconst,
        first_no,
        unnest(case
            when len(items) > 0 then [if(json_type(item) = 'VARCHAR', item->>'$', null) for item in items]
            else [null]
        end)
    from parsed
),

judged as (
    select
        *,
        regexp_matches(written, '^(?i:self|himself|herself|themself|themselves)(?:$|[^-\pL]|-[^\pL])') as is_self
    from written
),

spoken as (
    select subject_no, nconst, first_no, written, is_self, spoken_character(written) as character
    from judged
    where written is null or is_self or not contains(written, '/')
    union all
    select subject_no, nconst, first_no, written, is_self, unnest(spoken_characters(written))
    from judged
    where written is not null and not is_self and contains(written, '/')
)

select
    subject_no,
    nconst,
    first_no,
    case when not is_self and character <> '' then character else written end as character,
    case
        when written is null or written = '' then 'the characters are no JSON list of names'
        when is_self then 'plays themselves'
        when character = '' then 'nothing is left of the name of the character'
    end as fate
from spoken;
