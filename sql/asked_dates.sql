-- The dates that the asked predicate has, each once, and in how many facts.
--
-- reads:   asked (predicate, answer, literal_kind), facts (predicate, value, kind, qualifiers)
-- writes:  asked_dates, one row per value
-- params:  none
--
-- Of a predicate with few facts as of one with many, all dates together tell how exact they are: factmill/dates.py.

create or replace table asked_dates as

with wanted as (
    select answer, literal_kind
    from asked
),

said as (
    select facts.value
    from facts
    join wanted on wanted.answer is null
    where facts.predicate = (select predicate from asked) and facts.kind = 'date'

    union all

    select unnest([q.value for q in facts.qualifiers if q.name = wanted.answer]) as value
    from facts
    join wanted on wanted.literal_kind = 'date'
    where facts.predicate = (select predicate from asked)
)

select value, count(*) as n_facts
from said
where value is not null
group by value
order by value;
