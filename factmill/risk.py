"""Selective answering: how often a system is right if it only answers what it is surest of."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_POINTS = 100


@dataclass(frozen=True)
class RiskCurve:
    """Risk at growing coverage, both as percentages; equally sure answers are given together or not at all."""

    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    area: float
    """The mean risk over all coverages: the lower, the better does the confidence tell right from wrong."""

    def risk_at(self, coverage: float) -> float:
        """Return the risk at the first point that covers at least so many of the questions."""
        return next(risk for point, risk in zip(self.coverage, self.risk, strict=True) if point >= coverage)


def risk_curve(right: npt.NDArray[np.bool_], confidence: npt.NDArray[np.floating]) -> RiskCurve:
    """Return the curve of some answers.

    >>> risk_curve(np.array([True, False, True, False]), np.array([.9, .2, .8, .2])).risk
    (0.0, 0.0, 50.0)
    """
    order = np.argsort(-confidence, kind="stable")
    wrong = np.cumsum(~right[order])
    sure = confidence[order]
    # Not by their difference: that of two infinite values is none.
    ends = np.append(np.flatnonzero(sure[1:] != sure[:-1]), len(order) - 1)
    answered = ends + 1
    coverage, risk = 100 * answered / len(order), 100 * wrong[ends] / answered
    area = float(np.sum(risk * np.diff(coverage, prepend=0)) / 100)
    shown = np.unique(np.searchsorted(coverage, np.linspace(0, 100, _POINTS + 1), side="left").clip(max=len(ends) - 1))
    return RiskCurve(tuple(coverage[shown].tolist()), tuple(risk[shown].tolist()), area)
