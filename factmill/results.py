"""What a user gets to see of a ranking: pairs that ask the same question are one result with several sources."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from factmill.names import ShardName
from factmill.paq_form import paq_form
from factmill.scoring.exact import normalise_answer


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
COMPARED = 10
"""Results whose answers are compared to tell how sure the first ones are, however many are shown."""


def collapse(hits: Sequence[Hit], k: int) -> list[Result]:
    """Put pairs that ask the same together, and return the first k of what is left."""
    by_question: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_question[paq_form(hit.question)].append(hit)
    groups = [_best_first(group) for group in list(by_question.values())[: max(k, COMPARED)]]
    told = [_told(group) for group in groups]
    results = []
    for number, group in enumerate(groups[:k]):
        # One that is behind those is compared with them, too.
        others = told[:COMPARED] if number < COMPARED else [*told[:COMPARED], told[number]]
        results.append(Result(group, _confidence(group[0], others)))
    return results


def _best_first(hits: Sequence[Hit]) -> list[Hit]:
    """Put answers first that several shards give, then those about what is known best."""
    agreed = Counter(answer for _, answer in {(hit.shard, normalise_answer(hit.answer)) for hit in hits})
    return sorted(
        hits,
        key=lambda hit: (-agreed[normalise_answer(hit.answer)], -(hit.popularity or 0), str(hit.shard), hit.qa_id),
    )


def _told(group: Sequence[Hit]) -> tuple[float, dict[str, float]]:
    """Return the score of a group, and what share of its shards gives which answer."""
    said = Counter(answer for _, answer in {(hit.shard, normalise_answer(hit.answer)) for hit in group})
    return group[0].score, {answer: n / said.total() for answer, n in said.items()}


def _confidence(hit: Hit, groups: Sequence[tuple[float, dict[str, float]]]) -> float:
    """Return the score, less where questions that fit about as well have other answers."""
    said = normalise_answer(hit.answer)
    weights = [(math.exp((score - hit.score) / _NEARNESS), shares.get(said, 0.0)) for score, shares in groups]
    agreeing = sum(weight * share for weight, share in weights)
    return min(max(0.0, hit.score), 1.0) * agreeing / sum(weight for weight, _ in weights)
