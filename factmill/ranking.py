"""Rankings, and the algebra on them: the top of several shards is a merge of their tops.

Scores are whole numbers (see encoders.py) and ties are broken by `qa_id`, so merging shards gives exactly what one
index over all of them gives. Everything is an array with a row per question and a column per rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.encoders import GRID

NOTHING = np.iinfo(np.int32).min
"""The score of a rank that is not taken."""


@dataclass(frozen=True)
class Ranking:
    """The best pairs of some shards for some questions, best first."""

    scores: npt.NDArray[np.int32]
    shards: npt.NDArray[np.int16]
    ids_high: npt.NDArray[np.uint64]
    ids_low: npt.NDArray[np.uint64]

    def qa_id(self, question: int, rank: int) -> str:
        """Return the id of one pair."""
        return f"{self.ids_high[question, rank]:016x}{self.ids_low[question, rank]:016x}"

    def depth(self, question: int) -> int:
        """Count the ranks that are taken."""
        return int((self.scores[question] != NOTHING).sum())

    def cosine(self, question: int, rank: int) -> float:
        """Return a score as the cosine it stands for."""
        return float(self.scores[question, rank]) / (GRID * GRID)

    @classmethod
    def empty(cls, n_questions: int, k: int) -> "Ranking":
        """Return a ranking without any pair."""
        ids = np.zeros((n_questions, k), np.uint64)
        return cls(np.full((n_questions, k), NOTHING, np.int32), np.zeros((n_questions, k), np.int16), ids, ids)


def merge(rankings: Sequence[Ranking], k: int) -> Ranking:
    """Return the best k pairs of all rankings together."""
    scores, shards, high, low = (
        np.concatenate([getattr(ranking, part) for ranking in rankings], axis=1)
        for part in ("scores", "shards", "ids_high", "ids_low")
    )
    # lexsort takes its last key first: best score, then qa_id.
    order = np.lexsort((low, high, -scores.astype(np.int64)), axis=1)[:, :k]
    return Ranking(*(np.take_along_axis(part, order, axis=1) for part in (scores, shards, high, low)))
