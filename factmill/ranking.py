"""Rankings, and the algebra on them: the top of several shards is a merge of their tops.

Scores are whole numbers (see encoders.py) and ties are broken by the first half of `qa_id`, so merging shards gives
exactly what one index over all of them gives. Everything is an array with a row per question and a column per rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import accumulate, pairwise

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

    def lowered(self, by: int) -> "Ranking":
        """Return the ranking with this much less of a score for every pair."""
        return replace(self, scores=np.where(self.scores == NOTHING, NOTHING, self.scores - by).astype(np.int32))

    def at_least(self, least: npt.NDArray[np.int32] | int) -> "Ranking":
        """Return the ranking without the pairs that score less; their ranks are not taken."""
        return replace(self, scores=np.where(self.scores < least, NOTHING, self.scores).astype(np.int32))

    def with_questions(self, questions: npt.NDArray[np.integer], others: "Ranking") -> "Ranking":
        """Return the ranking with other ranks for some questions."""
        fresh = Ranking(*(getattr(self, name).copy() for name in _FIELDS))
        for name in _FIELDS:
            getattr(fresh, name)[questions] = getattr(others, name)
        return fresh

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


def touched(current: Ranking, other: Ranking, k: int) -> tuple[npt.NDArray[np.intp], Ranking]:
    """Return the questions of whose first k pairs the other ranking may change one, and their first k pairs with it.

    Both are in order. To sort only these takes a fraction of the time where one shard is put on top of a base.
    """
    worst = current.scores[:, k - 1] if current.scores.shape[1] >= k else np.full(len(current.scores), NOTHING)
    best = other.scores[:, 0]
    questions = np.flatnonzero((best >= worst) & (best != NOTHING))
    return questions, merge([current.of_questions(questions), other.of_questions(questions)], k)


def put_on_top(current: Ranking, other: Ranking, k: int) -> Ranking:
    """Return what `merge` of two rankings gives, if both are in order."""
    first = current.of_ranks(slice(k)).widened(k)
    return first.with_questions(*touched(first, other, k))


def leave_one_out(rankings: Sequence[Ranking], k: int) -> list[Ranking]:
    """Return for each ranking the best k pairs of all others: a few merges each, however many there are."""
    none = Ranking.empty(len(rankings[0].scores), k)
    before = list(accumulate(rankings[:-1], partial(put_on_top, k=k), initial=none))
    behind = list(accumulate(rankings[:0:-1], partial(put_on_top, k=k), initial=none))[::-1]
    return [put_on_top(one, other, k) for one, other in zip(before, behind, strict=True)]


def stacked(rankings: Sequence[Ranking]) -> Ranking:
    """Return the questions of all rankings, which are equally wide, one below the other."""
    return Ranking(*(np.concatenate([getattr(one, name) for one in rankings]) for name in _FIELDS))


def tops(rankings: Sequence[Ranking], k: int) -> list[Ranking]:
    """Return the best k pairs of each ranking; all rankings are sorted at once, which takes less than one by one."""
    width = max(ranking.scores.shape[1] for ranking in rankings)
    same = [ranking.widened(width) for ranking in rankings]
    below = stacked(same).top(k)
    borders = np.cumsum([0, *(len(one.scores) for one in same)]).tolist()
    return [below.of_questions(slice(*both)) for both in pairwise(borders)]


def side_by_side(rankings: Sequence[Ranking]) -> Ranking:
    """Return the ranks of all rankings, one behind the other."""
    if len(rankings) == 1:
        return rankings[0]
    return Ranking(*(np.concatenate([getattr(one, name) for one in rankings], axis=1) for name in _FIELDS))
