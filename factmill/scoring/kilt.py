"""KILT's metrics: answers, the pages that prove them, and answers that count only with the right pages.

Accuracy and ROUGE-L compare answers as they stand, EM and F1 normalised ones. For the combined metrics (KILT-EM …) an
answer counts only where R-precision is 1. As KILT reports them they are of pages, not of finer pieces of evidence.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from factmill.scoring.alignment import align_ids
from factmill.scoring.exact import exact_match
from factmill.scoring.overlap import rouge_l, token_f1
from factmill.scoring.provenance import EvidenceSet, RankScores, rank_scores

KS = (1, 5)


class KiltGold(NamedTuple):
    """What is right for one question."""

    id: str
    answers: tuple[str, ...]
    evidence: tuple[EvidenceSet, ...] = ()


class KiltGuess(NamedTuple):
    """What a system says to one question: its answer, which may be empty, and its pages, best first."""

    id: str
    answer: str
    pages: tuple[str, ...] = ()


class AnswerScores(NamedTuple):
    """How good an answer is, or the mean of many; each from 0 to 1."""

    accuracy: float
    em: float
    f1: float
    rouge_l: float


class KiltPoint(NamedTuple):
    """The scores of one question."""

    answer: AnswerScores
    kilt: AnswerScores
    """The same, but 0 if R-precision is not 1."""
    rank: RankScores


@dataclass(frozen=True)
class KiltScores:
    """Means over all questions, those with an empty prediction included."""

    n_questions: int
    n_extra: int
    """Predictions whose id no question has."""
    answer: AnswerScores
    kilt: AnswerScores
    r_precision: float
    precision: Mapping[int, float]
    """By k, as the next two."""
    recall: Mapping[int, float]
    success: Mapping[int, float]


def kilt_scores(gold: Sequence[KiltGold], guesses: Sequence[KiltGuess], ks: Sequence[int] = KS) -> KiltScores:
    """Score predictions, in whatever order, against the questions with the same ids."""
    aligned = align_ids([one.id for one in gold], [one.id for one in guesses])
    pairs = zip(gold, (guesses[number] for number in aligned.order), strict=True)
    return mean_of_points([kilt_point(one, guess, ks) for one, guess in pairs], ks, aligned.n_extra)


def kilt_point(gold: KiltGold, guess: KiltGuess, ks: Sequence[int] = KS) -> KiltPoint:
    """Score the prediction for one question."""
    answer = answer_scores(guess.answer, gold.answers)
    rank = rank_scores(gold.evidence, guess.pages, ks)
    return KiltPoint(answer, answer if rank.r_precision == 1 else _NOTHING, rank)


def answer_scores(prediction: str, gold: Iterable[str]) -> AnswerScores:
    """Score one answer against the gold answer that it is nearest to. An empty one is worth nothing."""
    answer = prediction.strip()
    right = list(dict.fromkeys(filter(None, map(str.strip, gold))))
    if not answer:
        return _NOTHING
    is_same, is_match = answer in right, exact_match(answer, right)
    return AnswerScores(float(is_same), float(is_match), token_f1(answer, right), rouge_l(answer, right))


def mean_of_points(points: Sequence[KiltPoint], ks: Sequence[int] = KS, n_extra: int = 0) -> KiltScores:
    """Return the means of points that were scored with the same ks; 0 if there are none."""
    ranks = [point.rank for point in points]
    return KiltScores(
        n_questions=len(points),
        n_extra=n_extra,
        answer=_mean_answer([point.answer for point in points]),
        kilt=_mean_answer([point.kilt for point in points]),
        r_precision=_mean(rank.r_precision for rank in ranks),
        precision={k: _mean(rank.precision[place] for rank in ranks) for place, k in enumerate(ks)},
        recall={k: _mean(rank.recall[place] for rank in ranks) for place, k in enumerate(ks)},
        success={k: _mean(rank.success[place] for rank in ranks) for place, k in enumerate(ks)},
    )


_NOTHING = AnswerScores(0.0, 0.0, 0.0, 0.0)


def _mean_answer(scores: Sequence[AnswerScores]) -> AnswerScores:
    return AnswerScores(*map(_mean, zip(*scores, strict=True))) if scores else _NOTHING


def _mean(values: Iterable[float]) -> float:
    counted = list(values)
    return fmean(counted) if counted else 0.0
