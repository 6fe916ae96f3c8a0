"""What a system answers to a question set: our own corpus, or whatever a file of predictions says."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from factmill.predictions import Predictions
from factmill.progress import progress
from factmill.questions import QuestionSet
from factmill.results import Hit, collapse
from factmill.search import Retriever

DEPTH = 50
"""Pairs that are retrieved for each question, as PAQ's tools do."""
_QUESTIONS_A_STEP = 1_000


@dataclass(frozen=True)
class Answered:
    """Answers to the questions of a set, in their order."""

    system: str
    answers: tuple[tuple[str, ...], ...]
    """Ranked, best first."""
    asked: tuple[tuple[str, ...], ...] | None
    """The questions of the retrieved pairs, where answers come from pairs."""
    given: tuple[str, ...]
    """The one answer that the system would give; empty if none."""
    confidence: npt.NDArray[np.float64] | None
    """How sure it is of that answer, where it says so."""

    @classmethod
    def of_predictions(cls, predictions: Predictions) -> Self:
        """Return what a file of predictions says; it is sure of its answers only if it says so of all."""
        sure = [score for score in predictions.confidence if score is not None]
        return cls(
            system=predictions.name,
            answers=predictions.answers,
            asked=predictions.asked,
            given=tuple(ranked[0] if ranked else "" for ranked in predictions.answers),
            confidence=np.array(sure, np.float64) if len(sure) == len(predictions) else None,
        )


def ask_corpus(
    retriever: Retriever, questions: QuestionSet, keep: Callable[[int, list[Hit]], None] = lambda _, __: None
) -> Answered:
    """Ask every question; `keep` is given each question's number and its pairs, which are not all in memory at once."""
    answers: list[tuple[str, ...]] = []
    asked: list[tuple[str, ...]] = []
    given: list[str] = []
    confidence: list[float] = []
    with progress("asking", len(questions), "questions") as advance:
        for start in range(0, len(questions), _QUESTIONS_A_STEP):
            some = questions.questions[start : start + _QUESTIONS_A_STEP]
            for number, hits in enumerate(retriever.hits(retriever.search(retriever.encode(some), DEPTH)), start):
                keep(number, hits)
                answers.append(tuple(hit.answer for hit in hits))
                asked.append(tuple(hit.question for hit in hits))
                best = collapse(hits, 1)
                given.append(best[0].answer if best else "")
                confidence.append(best[0].confidence if best else 0.0)
            advance(len(some))
    return Answered("corpus", tuple(answers), tuple(asked), tuple(given), np.array(confidence, np.float64))
