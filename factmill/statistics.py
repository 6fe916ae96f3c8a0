"""Whether a difference between two runs over the same questions is more than chance.

Two runs differ only on discordant questions: gained, which the second answers and the first does not, and lost, the
other way round. All here follows from how many of each there are among how many questions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import binom, binomtest

Right = npt.NDArray[np.bool_]
"""Whether each question is answered right."""

SIGNIFICANT = 0.05
POWER = 0.8
N_SAMPLES = 10_000
_COVERED = 0.95
_SEED = 1


@dataclass(frozen=True)
class Comparison:
    """What a second run gains and loses against a first; differences are in points, of 100 for all questions.

    `low` and `high` enclose 95 % of a paired bootstrap, `p_value` is of the exact McNemar test.
    """

    n_questions: int
    n_gained: int
    n_lost: int
    points: float
    low: float
    high: float
    p_value: float
    least_points: float | None
    """The smallest net difference that this test could have called significant with so many discordant questions; None
    if they are too few for any."""
    least_points_with_power: float | None
    """The true difference that it would have called significant in 80 of 100 cases."""


def compare(before: Right, after: Right) -> Comparison:
    """Compare two runs over the same questions.

    >>> compare(np.array([True, False, False]), np.array([False, True, True])).points.__round__(2)
    33.33
    """
    n_questions, n_gained, n_lost = len(before), int((after & ~before).sum()), int((before & ~after).sum())
    discordant = n_gained + n_lost
    low, high = bootstrap_interval(n_gained, n_lost, n_questions)
    least, with_power = least_net(discordant), least_net_with_power(discordant)
    return Comparison(
        n_questions=n_questions,
        n_gained=n_gained,
        n_lost=n_lost,
        points=100 * (n_gained - n_lost) / n_questions,
        low=low,
        high=high,
        p_value=float(binomtest(n_gained, discordant).pvalue) if discordant else 1.0,
        least_points=None if least is None else 100 * least / n_questions,
        least_points_with_power=None if with_power is None else 100 * with_power / n_questions,
    )


def bootstrap_interval(n_gained: int, n_lost: int, n_questions: int) -> tuple[float, float]:
    """Return the interval that encloses 95 % of the differences of 10,000 samples of the questions, in points.

    A question adds +1, -1 or 0, so a sample of the questions is a draw of three counts.
    """
    shares = np.array([n_gained, n_lost, n_questions - n_gained - n_lost]) / n_questions
    counts = np.random.default_rng(_SEED).multinomial(n_questions, shares, N_SAMPLES)
    outside = (1 - _COVERED) / 2
    low, high = np.quantile(100 * (counts[:, 0] - counts[:, 1]) / n_questions, [outside, 1 - outside])
    return float(low), float(high)


def least_net(discordant: int) -> int | None:
    """Return the smallest surplus of gained over lost questions, among so many, that has p < .05.

    >>> least_net(5), least_net(6), least_net(25)
    (None, 6, 11)
    """
    least_gained = _least_gained(discordant)
    return None if least_gained is None else 2 * least_gained - discordant


def least_net_with_power(discordant: int) -> float | None:
    """Return the expected surplus, among so many, of which the test finds p < .05 in 80 of 100 cases."""
    least_gained = _least_gained(discordant)
    if least_gained is None:
        return None

    def surplus_of_power(share: float) -> float:
        found = binom.sf(least_gained - 1, discordant, share) + binom.cdf(discordant - least_gained, discordant, share)
        return float(found) - POWER

    return discordant * (2 * float(brentq(surplus_of_power, 0.5, 1)) - 1)


def _least_gained(discordant: int) -> int | None:
    """Return how many of so many discordant questions must at least be gained for p < .05."""
    gained = np.arange(discordant // 2 + 1, discordant + 1)
    is_significant = 2 * binom.sf(gained - 1, discordant, 0.5) < SIGNIFICANT
    return int(gained[is_significant][0]) if is_significant.any() else None


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for how many were looked at.

    >>> holm([0.01, 0.04])
    [0.02, 0.04]
    """
    if not p_values:
        return []
    # It takes seconds to import.
    from statsmodels.stats.multitest import multipletests

    return [float(value) for value in multipletests(p_values, method="holm")[1]]
