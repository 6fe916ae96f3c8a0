import numpy as np
import pytest
from scipy.stats import binom, binomtest, bootstrap

from factmill.statistics import bootstrap_interval, compare, holm, least_net, least_net_with_power


def _runs(n_questions: int, gained: int, lost: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two runs over so many questions: first those that are gained, then those that are lost."""
    before, after = np.zeros(n_questions, np.bool_), np.zeros(n_questions, np.bool_)
    after[:gained] = True
    before[gained : gained + lost] = True
    before[-5:] = after[-5:] = True
    return before, after


def test_a_comparison_counts_what_is_gained_and_lost() -> None:
    found = compare(*_runs(1_000, 18, 7))
    assert (found.n_questions, found.n_gained, found.n_lost, found.points) == (1_000, 18, 7, 1.1)
    assert found.p_value == binomtest(18, 25).pvalue
    assert found.low < found.points < found.high
    # Of 25 discordant questions 18 must be gained, 11 more than are lost: what the thesis found for dbp:artist.
    assert found.least_points == 1.1


def test_equal_runs_differ_by_nothing() -> None:
    found = compare(*_runs(100, 0, 0))
    assert (found.points, found.low, found.high, found.p_value) == (0, 0, 0, 1)
    assert (found.least_points, found.least_points_with_power) == (None, None)


@pytest.mark.parametrize(("gained", "lost"), [(40, 20), (3, 0), (1, 30)])
def test_the_interval_is_that_of_a_paired_bootstrap(gained: int, lost: int) -> None:
    before, after = _runs(800, gained, lost)
    chance = np.random.default_rng(7)
    theirs = bootstrap(
        (after.astype(int), before.astype(int)),
        lambda a, b, axis: 100 * (a - b).mean(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=10_000,
        rng=chance,
    ).confidence_interval
    # Differences come in steps of an eighth of a point; two bootstraps may be a step apart.
    assert bootstrap_interval(gained, lost, 800) == pytest.approx((theirs.low, theirs.high), abs=0.126)


def test_the_same_counts_have_the_same_interval() -> None:
    assert bootstrap_interval(18, 7, 8_757) == bootstrap_interval(18, 7, 8_757)


def test_the_smallest_effect_is_the_first_that_is_significant() -> None:
    for discordant in range(60):
        by_hand = [
            2 * gained - discordant
            for gained in range(discordant // 2 + 1, discordant + 1)
            if binomtest(gained, discordant).pvalue < 0.05
        ]
        assert least_net(discordant) == (by_hand[0] if by_hand else None)


@pytest.mark.parametrize("discordant", [6, 25, 300])
def test_the_effect_with_power_is_found_in_80_of_100_cases(discordant: int) -> None:
    surplus, least = least_net_with_power(discordant), least_net(discordant)
    assert surplus is not None
    assert least is not None
    share = (1 + surplus / discordant) / 2
    counts = np.arange(discordant + 1)
    is_found = [binomtest(int(count), discordant).pvalue < 0.05 for count in counts]
    assert float(binom.pmf(counts, discordant, share)[is_found].sum()) == pytest.approx(0.8)


def test_p_values_are_corrected_for_how_many_there_are() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([1.0, 0.9]) == [1, 1]
    assert holm([]) == []
