-- The credits for acting with a character, directing and writing, with what becomes of each.
--
-- reads:   title_principals (tconst, ordering, nconst, category, characters), imdb_subjects
-- writes:  imdb_credits, one row per credit; `fate` is null where it may be facts; what is refused keeps its place
-- params:  $not_asked, why a title outside the scope is ignored
--
-- Whether a person has a name is looked at later, once for all their credits.

create or replace table imdb_credits as

with credits as (
    select
        imdb_subjects.subject_no,
        imdb_subjects.title_no,
        imdb_subjects.is_asked,
        credit.tconst,
        credit.nconst,
        try_cast(credit.ordering as integer) as ordering,
        case when credit.category in ('actor', 'actress') then 'acts' else credit.category end as role,
        credit.characters
    from title_principals as credit
    left join imdb_subjects on imdb_subjects.tconst = credit.tconst
    where
        credit.category in ('director', 'writer')
        or (credit.category in ('actor', 'actress') and credit.characters is not null)
),

judged as (
    select
        *,
        case
            when title_no is null then 'the title is not in title.basics'
            when subject_no is null then 'an episode whose series is not known'
            when not is_asked then $not_asked
            when nconst is null then 'the person is not in name.basics'
            when ordering is null or ordering < 0 then 'the ordering is no number'
        end as fate
    from credits
)

select
    subject_no,
    role,
    (title_no::bigint << 32) + ordering as first_no,
    nconst,
    case when role = 'acts' then characters end as characters,
    case when prefix(fate, 'the ') then concat_ws('/', 'title.principals', tconst, nconst, ordering) end as refused_place,
    fate
from judged;
