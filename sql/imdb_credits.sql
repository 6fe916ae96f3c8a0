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
        case when json_valid(characters) and json_type(characters) = 'ARRAY' then from_json(characters, '["VARCHAR"]') end as names
    from title_principals
),

named as (
    select
        tconst,
        ordering,
        nconst,
        category,
        characters,
        unnest(case when len(names) > 0 then list_distinct(names) else [null] end) as character
    from parsed
)

select
    named.tconst,
    named.nconst,
    trim(named.character) as character,
    concat_ws('/', 'title.principals', named.tconst, named.nconst, named.ordering) as place,
    case
        when named.category not in ('actor', 'actress') then 'not an acting credit'
        when named.characters is null then 'no character given'
        when lower(trim(named.character)) in ('self', 'himself', 'herself') then 'plays themselves'
    end as ignored,
    case
        when coalesce(trim(named.character), '') = '' then 'the characters are no JSON list of names'
        when title_basics.tconst is null then 'the title is not in title.basics'
        when name_basics.nconst is null then 'the person is not in name.basics'
    end as refusal
from named
left join title_basics on title_basics.tconst = named.tconst
left join name_basics on name_basics.nconst = named.nconst
order by named.tconst, named.nconst, named.ordering, named.character;
