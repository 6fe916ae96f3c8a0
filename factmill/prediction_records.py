"""One record of another system's output, in whichever of the known forms, read into the same thing."""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from factmill.question_records import id_of, objects_of, provenance_of, texts_of
from factmill.records import RecordFault
from factmill.scoring.provenance import ranked_ids
from factmill.shapes import KnownShapes


class PredictionShape(StrEnum):
    """Whose form a file of predictions has."""

    RETRIEVED = "paq-retriever"
    RERANKED = "paq-reranker"
    KILT = "kilt"
    QAMPARI = "qampari"
    ANSWERS = "answers"
    TEXT = "text"


EXAMPLES = MappingProxyType(
    {
        PredictionShape.RETRIEVED: (
            '{"input_qa": {"question": "…"}, "retrieved_qas": [{"question": "…", "answer": ["…"]}]}'
        ),
        PredictionShape.RERANKED: '{"question": "…", "prediction": "…", "score": 0.5, "index": 0}',
        PredictionShape.KILT: '{"id": "…", "output": [{"answer": "…", "provenance": [{"wikipedia_id": "…"}]}]}',
        PredictionShape.QAMPARI: '{"qid": "…", "predictions": ["…"]}',
        PredictionShape.ANSWERS: '{"question": "…", "prediction": "…"} or "answer": ["…"]',
        PredictionShape.TEXT: "one answer a line",
    }
)

_KEYS: tuple[tuple[PredictionShape, set[str]], ...] = (
    (PredictionShape.RETRIEVED, {"input_qa", "retrieved_qas"}),
    (PredictionShape.RERANKED, {"question", "prediction", "score", "index"}),
    (PredictionShape.QAMPARI, {"predictions"}),
    (PredictionShape.KILT, {"id", "output"}),
    (PredictionShape.ANSWERS, {"question", "prediction"}),
    (PredictionShape.ANSWERS, {"question", "answer"}),
)

PREDICTION_SHAPES = KnownShapes("predictions", EXAMPLES, _KEYS)


class Prediction(NamedTuple):
    """What a system says to one question; id and question as far as the record names them."""

    answers: tuple[str, ...]
    question: str | None = None
    id: str | None = None
    confidence: float | None = None
    pages: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


def parse_prediction(row: object, shape: PredictionShape, rank_keys: Sequence[str]) -> Prediction:
    """Read one record of this form; what is wrong with it is a RecordFault."""
    if not isinstance(row, dict):
        raise RecordFault("no JSON object")
    return _kilt(row, rank_keys) if shape is PredictionShape.KILT else _PARSERS[shape](row)


def answers_of(text: str) -> tuple[str, ...]:
    """Return the only answer of a question; none if it is blank."""
    return (text,) if text.strip() else ()


def _retrieved(row: Mapping[str, Any]) -> Prediction:
    asked_for = row.get("input_qa")
    if not isinstance(asked_for, dict):
        raise RecordFault("its 'input_qa' is no object")
    pairs = objects_of(row, "retrieved_qas")
    # PAQ scores the first answer of a pair only, and the list is the ranking: its scores have no fixed direction.
    answers = tuple(_first_answer(pair, place) for place, pair in enumerate(pairs, 1))
    asked = tuple(_text(pair, "question") for pair in pairs)
    return Prediction(answers, _text(asked_for, "question"), asked=asked)


def _first_answer(pair: Mapping[str, Any], place: int) -> str:
    answer = pair.get("answer")
    answers = (answer,) if isinstance(answer, str) else texts_of(answer)
    if not answers:
        raise RecordFault(f"its retrieved pair {place} has no answer")
    return answers[0]


def _reranked(row: Mapping[str, Any]) -> Prediction:
    score = row.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or math.isnan(score):
        raise RecordFault("its 'score' is no number")
    return Prediction(answers_of(_text(row, "prediction")), _text(row, "question"), confidence=float(score))


def _kilt(row: Mapping[str, Any], rank_keys: Sequence[str]) -> Prediction:
    outputs = objects_of(row, "output")
    answered = [output["answer"] for output in outputs if "answer" in output]
    proven = [output for output in outputs if "provenance" in output]
    if not outputs or len(answered) > 1 or len(proven) > 1:
        raise RecordFault("KILT takes one output for each id, with one answer, which may be empty, and one ranking")
    if any(answer is None or isinstance(answer, dict | list) for answer in answered):
        raise RecordFault("its answer is no text")
    pages = ranked_ids(provenance_of(proven[0]), rank_keys) if proven else ()
    question = _text(row, "input") if "input" in row else None
    return Prediction(answers_of(str(answered[0]).strip()) if answered else (), question, id_of(row, "id"), pages=pages)


def _qampari(row: Mapping[str, Any]) -> Prediction:
    predictions = row.get("predictions")
    answers = texts_of(predictions)
    if not isinstance(predictions, list) or len(answers) < len(predictions):
        raise RecordFault("its 'predictions' are no list of texts")
    question = next((_text(row, key) for key in ("question_text", "question") if key in row), None)
    return Prediction(answers, question, id_of(row, "qid"))


def _answers(row: Mapping[str, Any]) -> Prediction:
    answer = row.get("prediction", row.get("answer"))
    answers = answers_of(answer) if isinstance(answer, str) else texts_of(answer)
    if not isinstance(answer, str | list) or (isinstance(answer, list) and len(answers) < len(answer)):
        raise RecordFault("its answer is neither a text nor a list of texts")
    return Prediction(answers, _text(row, "question"))


_PARSERS: Mapping[PredictionShape, Callable[[Mapping[str, Any]], Prediction]] = MappingProxyType(
    {
        PredictionShape.RETRIEVED: _retrieved,
        PredictionShape.RERANKED: _reranked,
        PredictionShape.QAMPARI: _qampari,
        PredictionShape.ANSWERS: _answers,
    }
)


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise RecordFault(f"its {key!r} is no text" if key in row else f"it has no {key!r}")
    return value
