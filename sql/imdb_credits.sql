-- The credits, in a short form, with what becomes of each.
--
-- reads:   title_principals (tconst, ordering, nconst, category, characters), imdb_subjects, imdb_names (nconst)
-- writes:  imdb_credits, one row per row of title.principals; `fate` is null where it may be facts
-- params:  $not_asked, why a title outside the scope is ignored
--
-- The files are read once, so what is only counted is a row, too, but an empty one. What is refused keeps its text.

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
        credit.characters,
        credit.nconst in (select nconst from imdb_names) as is_named
    from title_principals as credit
    left join imdb_subjects on imdb_subjects.tconst = credit.tconst
),

judged as (
    select
        *,
        case
            when role = 'self' then 'plays themselves'
            when role is null or role not in ('acts', 'director', 'writer')
                then 'not a credit for acting, directing or writing'
            when role = 'acts' and characters is null then 'no character given'
            when title_no is null then 'the title is not in title.basics'
            when subject_no is null then 'an episode whose series is not known'
            when not is_asked then $not_asked
            when is_named is not true then 'the person is not in name.basics'
            when ordering is null then 'the ordering is no number'
        end as fate,
        coalesce(prefix(fate, 'the '), false) as is_refused
    from credits
)

select
    case when fate is null then subject_no end as subject_no,
    case when fate is null then title_no end as title_no,
    case when fate is null then ordering end as ordering,
    case when fate is null then role end as role,
    case when fate is null then nconst end as nconst,
    case when (fate is null and role = 'acts') or is_refused then characters end as characters,
    case when is_refused then concat_ws('/', 'title.principals', tconst, nconst, ordering) end as refused_place,
    fate
from judged;
