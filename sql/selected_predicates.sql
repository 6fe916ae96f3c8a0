-- Which predicates are worth asking about, and why the others are not.
--
-- reads:   predicate_statistics
-- writes:  selected_predicates, one row per predicate and variant; `reason` is null where it is kept
-- params:  $max_mean_answers

create or replace table selected_predicates as

select
    predicate_text(predicate) as predicate,
    variant,
    n_facts,
    n_keys,
    mean_answers,
    max_answers,
    labelled_share,
    case
        when labelled_share = 0 then 'no fact has labels on both sides'
        when mean_answers > $max_mean_answers
            then printf('%.1f answers a question on average, the limit is %.1f', mean_answers, $max_mean_answers::double)
    end as reason
from predicate_statistics
order by n_facts desc, predicate_text(predicate), variant nulls first;
