"""Predictions: the output of another system, aligned with the questions of a set.

Where a file names its questions, by id or by text, its order does not matter; where it names none it must hold as many
predictions as there are questions. What cannot be aligned for certain is an error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from factmill.errors import SourceFormatError
from factmill.identity import file_digest
from factmill.importing import read_json
from factmill.prediction_records import (
    PREDICTION_SHAPES,
    Prediction,
    PredictionShape,
    answers_of,
    parse_prediction,
)
from factmill.questions import QuestionSet
from factmill.records import Container, Record, json_records, text_lines
from factmill.scoring.alignment import Alignment, align_ids, align_texts
from factmill.scoring.provenance import PAGE_KEYS


@dataclass(frozen=True)
class Predictions:
    """What a system says to the questions of a set, in the order of the set."""

    name: str
    sha256: str
    shape: PredictionShape
    answers: tuple[tuple[str, ...], ...]
    """Of each question, best first; none if nothing was predicted."""
    confidence: tuple[float | None, ...]
    """How sure the system is, higher for surer; None where a form has no score, or one without a fixed direction."""
    pages: tuple[tuple[str, ...], ...] | None
    """KILT: the ids of the evidence, best first."""
    asked: tuple[tuple[str, ...], ...] | None
    """The questions of the retrieved pairs, one for each answer."""
    is_set: bool
    """Whether the answers to a question are all meant, as in QAMPARI, and not one or the other."""
    n_extra: int
    """Predictions that no question of the set asked for."""

    def __len__(self) -> int:
        return len(self.answers)


def read_predictions(path: Path, questions: QuestionSet, *, rank_keys: Sequence[str] = PAGE_KEYS) -> Predictions:
    """Read a file of predictions, packed or plain, in whichever form its first record has (docs/evaluation.md)."""
    digest = file_digest(path)
    container = Container.of(path)
    if container is Container.TEXT:
        shape, read = PredictionShape.TEXT, [_of_text(path, line) for line in text_lines(path)]
    else:
        parse = partial(parse_prediction, rank_keys=rank_keys)
        shape, read = PREDICTION_SHAPES.read(path, json_records(path, container), parse)
    try:
        aligned = _aligned(read, questions, "entry" if container is Container.JSON_ARRAY else "line")
    except SourceFormatError as error:
        raise SourceFormatError(f"{path} does not fit {questions.name}: {error}") from error
    chosen = [read[number] for number in aligned.order]
    return Predictions(
        name=path.name,
        sha256=digest,
        shape=shape,
        answers=tuple(prediction.answers for prediction in chosen),
        confidence=tuple(prediction.confidence for prediction in chosen),
        pages=tuple(prediction.pages for prediction in chosen) if shape is PredictionShape.KILT else None,
        asked=tuple(prediction.asked for prediction in chosen) if shape is PredictionShape.RETRIEVED else None,
        is_set=shape is PredictionShape.QAMPARI,
        n_extra=aligned.n_extra,
    )


def _of_text(path: Path, line: Record) -> Prediction:
    """Return the answer on a line. JSON would be one, too, but nobody means that."""
    if line.value.lstrip().startswith(("{", "[")):
        try:
            is_json = isinstance(read_json(line.value.encode()), dict | list)
        except ValueError:
            is_json = False
        if is_json:
            raise PREDICTION_SHAPES.refused(path, line.place, "JSON among lines of text", PredictionShape.TEXT)
    return Prediction(answers_of(line.value))


def _aligned(read: Sequence[Prediction], questions: QuestionSet, unit: str) -> Alignment:
    ids = _named([prediction.id for prediction in read], "id", unit)
    texts = _named([prediction.question for prediction in read], "question", unit)
    if ids and questions.ids:
        return align_ids(questions.ids, ids, unit)
    if texts:
        contents = [prediction._replace(question=None, id=None) for prediction in read]
        return align_texts(questions.questions, texts, contents, unit)
    if ids:
        raise SourceFormatError("the predictions name ids, but the questions have none. Add the questions' texts.")
    if len(read) != len(questions):
        raise SourceFormatError(
            f"it names no questions, so there must be one prediction for each of {len(questions):,} in their order,"
            f" but there are {len(read):,}."
        )
    return Alignment(tuple(range(len(read))), 0)


def _named(names: Sequence[str | None], what: str, unit: str) -> list[str]:
    """Return what the predictions are called; nothing if none has such a name."""
    found = [name for name in names if name is not None]
    if found and len(found) < len(names):
        raise SourceFormatError(f"{unit} {names.index(None) + 1:,} names no {what}, but others do.")
    return found
