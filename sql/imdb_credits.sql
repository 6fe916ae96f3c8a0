-- Who plays whom in what, from IMDb's files; one row per credit, with the reason if it is no fact.
--
-- reads:   title_principals (tconst, ordering, nconst, category, characters), title_basics (tconst), name_basics (nconst)
-- writes:  imdb_credits, one row per (title, person, character); `refusal` and `ignored` are null where it is a fact
-- params:  none
--
-- `characters` is a JSON list in a file without CSV quoting. A credit without characters stays one row.

create or replace table imdb_credits as

with parsed as (
    select
        tconst,
        ordering,
        nconst,
        category,
        characters,
        case when json_valid(characters) and json_type(characters) = 'ARRAY' then characters->'$[*]' end as items
    from title_principals
),

named as (
    select
        * exclude (items),
        unnest(
            case
                when len(items) > 0
                    then list_distinct([if(json_type(item) = 'VARCHAR', item->>'$', '') for item in items])
                else ['']
            end
        ) as spelled
    from parsed
),

spoken as (
    -- What stands behind a name in brackets, such as (voice) or (uncredited), is no part of it.
    select *, trim(regexp_replace(spelled, '(\s*\([^()]*\))+\s*$', '')) as character
    from named
)

select
    spoken.tconst,
    spoken.nconst,
    spoken.character,
    concat_ws('/', 'title.principals', spoken.tconst, spoken.nconst, spoken.ordering) as place,
    case
        when spoken.category is null or spoken.category not in ('actor', 'actress') then 'not an acting credit'
        when spoken.characters is null then 'no character given'
        when lower(spoken.character) in ('self', 'himself', 'herself') then 'plays themselves'
    end as ignored,
    case
        when spoken.character = '' then 'the characters are no JSON list of names'
        when titles.tconst is null then 'the title is not in title.basics'
        when people.nconst is null then 'the person is not in name.basics'
    end as refusal
from spoken
left join (select distinct tconst from title_basics) as titles on titles.tconst = spoken.tconst
left join (select distinct nconst from name_basics) as people on people.nconst = spoken.nconst
order by spoken.tconst, spoken.nconst, spoken.ordering, spoken.character;
