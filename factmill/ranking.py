"""Rankings, and the algebra on them: the top of several shards is a merge of their tops.

Scores are whole numbers (see encoders.py) and ties are broken by `qa_id`, so merging shards gives exactly what one
index over all of them gives. Everything is an array with a row per question and a column per rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

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
    right: npt.NDArray[np.bool_]
    """Whether the pair answers its question, once somebody has marked that; merging keeps the marks."""

    def marked(self, right: npt.NDArray[np.bool_]) -> "Ranking":
        """Return the ranking with these marks."""
        return replace(self, right=right)

    def right_at(self, k: int) -> npt.NDArray[np.bool_]:
        """Tell for each question whether one of its first k pairs is right: EM-k."""
        found: npt.NDArray[np.bool_] = np.logical_or.reduce(self.right[:, :k], axis=1)
        return found

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
        scores = np.full((n_questions, k), NOTHING, np.int32)
        return cls(scores, np.zeros((n_questions, k), np.int16), ids, ids, np.zeros((n_questions, k), np.bool_))


def merge(rankings: Sequence[Ranking], k: int) -> Ranking:
    """Return the best k pairs of all rankings together."""
    parts = [np.concatenate([getattr(one, field.name) for one in rankings], axis=1) for field in fields(Ranking)]
    scores, _, high, low, _ = parts
    # lexsort takes its last key first: best score, then qa_id.
    order = np.lexsort((low, high, -scores.astype(np.int64)), axis=1)[:, :k]
    return Ranking(*(np.take_along_axis(part, order, axis=1) for part in parts))
