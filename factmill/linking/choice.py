"""The choice among candidates: each one's share of exp(weights · features), with "none of them" as one more.

Shares are sums of whole numbers, so they do not depend on what else is in the batch.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.linking.candidates import Candidates

_STEPS = float(1 << 40)
_LEAST = -25.0

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Choice:
    """Entities of questions, best first within each; each array has a row an entity of a question."""

    question: Numbers
    entity: npt.NDArray[np.int32]
    share: Floats
    candidate: Numbers
    """The best of its candidates."""


def weighed(features: Floats, weights: tuple[float, ...]) -> Floats:
    """Return the sum of weighted features of each row, added in their order."""
    total = np.zeros(len(features))
    for column, weight in enumerate(weights):
        total += features[:, column] * weight
    return total


def choose(candidates: Candidates, weights: tuple[float, ...], nil_weights: tuple[float, ...]) -> Choice:
    """Return the share of each entity of each question."""
    values = weighed(candidates.features, weights)
    nil = weighed(candidates.nil_features, nil_weights)
    most = nil.copy()
    np.maximum.at(most, candidates.question, values)
    parts = np.rint(np.exp(np.maximum(values - most[candidates.question], _LEAST)) * _STEPS).astype(np.int64)
    whole = np.rint(np.exp(np.maximum(nil - most, _LEAST)) * _STEPS).astype(np.int64)
    np.add.at(whole, candidates.question, parts)
    # One entity by several pieces and names: the best of them stands for it.
    order = np.lexsort((candidates.found, -parts, candidates.entity, candidates.question))
    question, entity = candidates.question[order], candidates.entity[order]
    starts = np.flatnonzero((np.diff(question, prepend=-1) != 0) | (np.diff(entity, prepend=-1) != 0))
    sums = np.add.reduceat(parts[order], starts) if len(starts) else np.empty(0, np.int64)
    question, entity, best = question[starts], entity[starts], order[starts]
    ranked = np.lexsort((entity, -sums, question))
    return Choice(question[ranked], entity[ranked], (sums / whole[question])[ranked], best[ranked])
