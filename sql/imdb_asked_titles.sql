-- The titles that are staged: those that a question or the user names, those with enough votes, or all.
--
-- reads:   imdb_works, imdb_akas, named_titles (name), chosen_titles (tconst)
-- writes:  imdb_asked_titles (title_no), one row per title that is no episode and was asked for
-- params:  $min_votes, null if votes do not matter; $by_questions, whether names do
--
-- An episode is staged with its series. Where nothing of this was said, all titles are asked for.

create or replace table imdb_asked_titles as

with keys as (
    select distinct title_key(name) as key
    from named_titles
),

names as (
    select title_no, title from imdb_works where $by_questions
    union all
    select title_no, original from imdb_works where original is not null and $by_questions
    union all
    select title_no, title from imdb_akas where $by_questions
),

named as (
    select distinct names.title_no
    from names
    join keys on keys.key = title_key(names.title) and keys.key <> ''
)

select title_no
from imdb_works
where
    ($min_votes::bigint is null and not $by_questions and not exists (from chosen_titles))
    or votes >= $min_votes::bigint
    or title_no in (from named)
    or tconst in (from chosen_titles);
