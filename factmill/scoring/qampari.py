"""QAMPARI's metrics: a prediction is a set of answers, compared with all the answers of a question.

A predicted answer counts if it equals an alias of a gold answer once both are normalised, and each gold answer counts
once. What QAMPARI's own script does with odd data is kept: an answer that is not among its own aliases is never
found, of two answers that share an alias only the later has it, and "Paris" and "paris" are two predictions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from factmill.scoring.exact import normalise_answer

GOOD_F1 = 0.5
GOOD_RECALL = 0.8


class GoldAnswer(NamedTuple):
    """One of the answers to a question; mostly its text is among its aliases."""

    text: str
    aliases: tuple[str, ...]


class SetScores(NamedTuple):
    """How well one set of predictions covers the answers to a question."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class QampariScores:
    """Means over all questions, and the shares of those that are answered well."""

    n_questions: int
    precision: float
    recall: float
    f1: float
    share_good_f1: float
    """F1 of 0.5 or more."""
    share_good_recall: float
    """Recall of 0.8 or more."""


def set_scores(predictions: Iterable[str], gold: Sequence[GoldAnswer]) -> SetScores:
    """Score the predictions for one question; without any, everything is 0.

    >>> set_scores(["paris", "Rome"], [GoldAnswer("Paris", ("Paris", "City of Light"))])
    SetScores(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    predicted = set(predictions)
    known = _texts_by_alias(gold)
    found = {known[form] for form in map(normalise_answer, predicted) if form in known}
    if not found:
        return SetScores(0.0, 0.0, 0.0)
    precision, recall = len(found) / len(predicted), len(found) / len(gold)
    return SetScores(precision, recall, 2 * precision * recall / (precision + recall))


def qampari_scores(points: Sequence[SetScores]) -> QampariScores:
    """Return the means over questions; 0 if there are none."""
    n = len(points)
    precision, recall, f1 = map(fmean, zip(*points, strict=True)) if points else (0.0, 0.0, 0.0)
    return QampariScores(
        n_questions=n,
        precision=precision,
        recall=recall,
        f1=f1,
        share_good_f1=sum(point.f1 >= GOOD_F1 for point in points) / n if n else 0.0,
        share_good_recall=sum(point.recall >= GOOD_RECALL for point in points) / n if n else 0.0,
    )


def answer_recall(passages: Sequence[str], gold: Sequence[GoldAnswer], k: int) -> float:
    """Return ARecall@k: the share of the gold answers that the first k passages hold, under whatever name.

    Normalised names are looked for as whole words.

    >>> answer_recall(["Paris, the city of light", "Rome"], [GoldAnswer("Paris", ()), GoldAnswer("Rome", ())], 1)
    0.5
    """
    texts = [f" {normalise_answer(passage)} " for passage in passages[:k]]
    names = [{normalise_answer(name) for name in (answer.text, *answer.aliases)} - {""} for answer in gold]
    found = sum(any(f" {name} " in text for name in forms for text in texts) for forms in names)
    return found / len(gold) if gold else 0.0


def _texts_by_alias(gold: Sequence[GoldAnswer]) -> dict[str, str]:
    """Return which answer a normalised name stands for: of its first spelling the last answer that has it."""
    spellings: dict[str, str] = {}
    for text, aliases in {answer.text: answer.aliases for answer in gold}.items():
        spellings |= dict.fromkeys(aliases, text)
    known: dict[str, str] = {}
    for alias, text in spellings.items():
        known.setdefault(normalise_answer(alias), text)
    return known
