"""Rankings, and the algebra on them: the top of several shards is a merge of their tops.

Scores are whole numbers (see encoders.py) and ties are broken by the first half of `qa_id`, so merging shards gives
exactly what one index over all of them gives. Everything is an array with a row per question and a column per rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

NOTHING = np.iinfo(np.int32).min
"""The score of a rank that is not taken."""


@dataclass(frozen=True)
class Ranking:
    """The best pairs of some shards for some questions, best first."""

    scores: npt.NDArray[np.int32]
    shards: npt.NDArray[np.int16]
    rows: npt.NDArray[np.int32]
    """Where the pair stands in the look-up of its shard."""
    ids: npt.NDArray[np.uint64]
    """The first half of its `qa_id`."""
    questions: npt.NDArray[np.uint64]
    """A hash of its question: equal questions have equal ones."""
    right: npt.NDArray[np.bool_]
    """Whether the pair answers its question, once somebody has marked that; merging keeps the marks."""

    def marked(self, right: npt.NDArray[np.bool_]) -> "Ranking":
        """Return the ranking with these marks."""
        return replace(self, right=right)

    def right_at(self, k: int) -> npt.NDArray[np.bool_]:
        """Tell for each question whether one of its first k pairs is right: EM-k."""
        found: npt.NDArray[np.bool_] = np.logical_or.reduce(self.right[:, :k], axis=1)
        return found

    def depth(self, question: int) -> int:
        """Count the ranks that are taken."""
        return int((self.scores[question] != NOTHING).sum())

    def top(self, k: int) -> "Ranking":
        """Put the ranks into order and return the first k; where there are fewer, the last are not taken."""
        # lexsort takes its last key first.
        order = np.lexsort((self.ids, -self.scores.astype(np.int64)), axis=1)[:, :k]
        return self.taken(order).widened(k)

    def taken(self, ranks: npt.NDArray[np.integer]) -> "Ranking":
        """Return some ranks of each question."""
        # What NumPy's take_along_axis does, without finding the places anew for every field.
        places = ranks + (np.arange(len(ranks)) * self.scores.shape[1])[:, None]
        return Ranking(*(getattr(self, name).reshape(-1)[places] for name in _FIELDS))

    def of_questions(self, questions: npt.NDArray[np.integer] | slice) -> "Ranking":
        """Return the ranks of some questions."""
        return Ranking(*(getattr(self, name)[questions] for name in _FIELDS))

    def of_ranks(self, ranks: slice) -> "Ranking":
        """Return some ranks of all questions."""
        return Ranking(*(getattr(self, name)[:, ranks] for name in _FIELDS))

    def widened(self, k: int) -> "Ranking":
        """Return a ranking with at least k columns."""
        missing = k - self.scores.shape[1]
        if missing <= 0:
            return self
        nothing = Ranking.empty(len(self.scores), missing)
        return side_by_side([self, nothing])

    @classmethod
    def empty(cls, n_questions: int, k: int) -> "Ranking":
        """Return a ranking without any pair."""
        shape = (n_questions, k)
        return cls(
            np.full(shape, NOTHING, np.int32),
            np.zeros(shape, np.int16),
            np.zeros(shape, np.int32),
            np.zeros(shape, np.uint64),
            np.zeros(shape, np.uint64),
            np.zeros(shape, np.bool_),
        )


_FIELDS = tuple(field.name for field in fields(Ranking))


def merge(rankings: Sequence[Ranking], k: int) -> Ranking:
    """Return the best k pairs of all rankings together."""
    return side_by_side(rankings).top(k)


def tops(rankings: Sequence[Ranking], k: int) -> list[Ranking]:
    """Return the best k pairs of each ranking; all rankings are sorted at once, which takes less than one by one."""
    width = max(ranking.scores.shape[1] for ranking in rankings)
    same = [ranking.widened(width) for ranking in rankings]
    below = Ranking(*(np.concatenate([getattr(one, name) for one in same]) for name in _FIELDS)).top(k)
    borders = np.cumsum([0, *(len(one.scores) for one in same)]).tolist()
    return [below.of_questions(slice(*both)) for both in pairwise(borders)]


def side_by_side(rankings: Sequence[Ranking]) -> Ranking:
    """Return the ranks of all rankings, one behind the other."""
    if len(rankings) == 1:
        return rankings[0]
    return Ranking(*(np.concatenate([getattr(one, name) for one in rankings], axis=1) for name in _FIELDS))
