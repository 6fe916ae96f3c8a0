-- Which predicates are worth asking about, and why the others are not.
--
-- reads:   predicate_statistics
-- writes:  selected_predicates, one row per predicate and variant; `reason` is null where it is kept, and `missed` names
--          the thresholds that it does not meet
-- params:  $max_mean_answers, $min_labelled_share, $min_facts, $max_ambiguous_share, $min_repairs
--
-- Where a question set is given, the mean over the subjects that it mentions decides, as long as there are any.

create or replace table selected_predicates as

with judged as (
    select
        * replace (predicate_text(predicate) as predicate),
        list_filter(
            [
                case
                    when labelled_share = 0 then {'missed': null, 'words': 'no fact has labels on both sides'}
                    when labelled_share < $min_labelled_share
                        then {
                            'missed': 'min_labelled_share',
                            'words': printf(
                                '%.1f %% of its facts have labels on both sides, the least is %.1f %%',
                                100 * labelled_share, 100 * $min_labelled_share::double
                            )
                        }
                end,
                case
                    when linked_mean_answers > $max_mean_answers
                        then {
                            'missed': 'max_mean_answers',
                            'words': printf(
                                '%.1f answers a question on average about linked subjects (%.1f about all), the limit is %.1f',
                                linked_mean_answers, mean_answers, $max_mean_answers::double
                            )
                        }
                    when linked_mean_answers is null and mean_answers > $max_mean_answers
                        then {
                            'missed': 'max_mean_answers',
                            'words': printf(
                                '%.1f answers a question on average%s, the limit is %.1f',
                                mean_answers,
                                if(n_linked_subjects is null, '', ' (no subject is linked)'),
                                $max_mean_answers::double
                            )
                        }
                end,
                case
                    when n_facts < $min_facts
                        then {
                            'missed': 'min_facts',
                            'words': format('{:,} facts, the least is {:,}', n_facts, $min_facts::bigint)
                        }
                end,
                case
                    when ambiguous_share > $max_ambiguous_share
                        then {
                            'missed': 'max_ambiguous_share',
                            'words': printf(
                                '%.1f %% of its subjects share their name with another, the limit is %.1f %%',
                                100 * ambiguous_share, 100 * $max_ambiguous_share::double
                            )
                        }
                end,
                case
                    when n_repairs < $min_repairs
                        then {
                            'missed': 'min_repairs',
                            'words': format(
                                'it could repair {:,} mistakes, the least is {:,}', n_repairs, $min_repairs::bigint
                            )
                        }
                end
            ],
            lambda fault: fault is not null
        ) as faults
    from predicate_statistics
)

select
    * exclude (faults),
    nullif(array_to_string(list_transform(faults, lambda fault: fault.words), ', and '), '') as reason,
    list_filter(list_transform(faults, lambda fault: fault.missed), lambda missed: missed is not null) as missed
from judged
order by n_facts desc, predicate, variant nulls first;
