"""What a user gets to see of a ranking: pairs that ask the same question are one result with several sources."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from factmill.metrics import normalise_answer
from factmill.names import ShardName
from factmill.paq_form import paq_form


@dataclass(frozen=True)
class Hit:
    """One retrieved pair and how well it fits."""

    score: float
    shard: ShardName
    qa_id: str
    question: str
    answers: list[str]
    subject: str | None
    objects: list[str]
    popularity: int | None
    licence: str | None
    as_of: date | None

    @property
    def answer(self) -> str:
        """Return the best answer."""
        return self.answers[0]


@dataclass(frozen=True)
class Result:
    """A question of the corpus that fits, and the pairs that ask it, best first.

    `confidence` compares answers to different questions: higher ones are more often right. It is no probability.
    """

    sources: list[Hit]
    confidence: float
    rerank_score: float | None = None

    @property
    def best(self) -> Hit:
        """Return the pair whose answer is given."""
        return self.sources[0]

    @property
    def answer(self) -> str:
        """Return the best answer."""
        return self.best.answer

    @property
    def score(self) -> float:
        """Return how well the question fits."""
        return self.best.score

    @property
    def question(self) -> str:
        """Return the question that was found."""
        return self.best.question

    @property
    def shard(self) -> ShardName:
        """Return where the answer comes from."""
        return self.best.shard


_NEARNESS = 0.05
"""Scores that are less than this apart say about the same."""


def collapse(hits: Sequence[Hit], k: int) -> list[Result]:
    """Put pairs that ask the same together, and return the first k of what is left."""
    by_question: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_question[paq_form(hit.question)].append(hit)
    groups = [_best_first(group) for group in by_question.values()][:k]
    return [Result(group, _confidence(group[0], groups)) for group in groups]


def _best_first(hits: Sequence[Hit]) -> list[Hit]:
    """Put answers first that several sources give, then those about what is known best."""
    agreed = Counter(normalise_answer(hit.answer) for hit in hits)
    return sorted(
        hits,
        key=lambda hit: (-agreed[normalise_answer(hit.answer)], -(hit.popularity or 0), str(hit.shard), hit.qa_id),
    )


def _confidence(hit: Hit, groups: Sequence[Sequence[Hit]]) -> float:
    """Return the score, less where other questions that fit about as well have other answers."""
    said = normalise_answer(hit.answer)
    weights = [(math.exp((group[0].score - hit.score) / _NEARNESS), group[0].answer) for group in groups]
    agreeing = sum(weight for weight, answer in weights if normalise_answer(answer) == said)
    return min(max(0.0, hit.score), 1.0) * agreeing / sum(weight for weight, _ in weights)
