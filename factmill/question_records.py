"""One record of a question set, in whichever of the known forms, read into the same thing."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from factmill.importing import pair_of
from factmill.question_shapes import QuestionShape
from factmill.records import RecordFault
from factmill.scoring.provenance import EvidenceSet
from factmill.scoring.qampari import GoldAnswer

_NO_GOLD = "it has no gold answers, as files for a leaderboard have none: use the development set"
_ENTITY_IN_URI = re.compile(r"https?://www\.wikidata\.org/(?:entity|wiki)/(Q\d+)")
_DESCRIPTION = re.compile(r'\(description\s+(?:"((?:[^"\\]|\\.)*)"|([^\s()"]+))\)')
_TARGET = re.compile(rf"\s*\(list(?:\s+{_DESCRIPTION.pattern})*\s*\)\s*")

POPQA_PROPERTIES = MappingProxyType(
    {
        "author": "P50",
        "capital": "P36",
        "capital of": "P1376",
        "color": "P462",
        "composer": "P86",
        "country": "P17",
        "director": "P57",
        "father": "P22",
        "genre": "P136",
        "mother": "P25",
        "occupation": "P106",
        "place of birth": "P19",
        "producer": "P162",
        "religion": "P140",
        "screenwriter": "P58",
        "sport": "P641",
    }
)
"""What PopQA calls the properties it asks for. It numbers them otherwise."""


class AskedFact(NamedTuple):
    """The fact that a question asks for, as far as its record names it: ids such as "Q42" and "P175"."""

    subject: str | None
    property: str | None
    object: str | None


class Question(NamedTuple):
    """One record of a question set."""

    text: str
    answers: tuple[str, ...]
    id: str | None = None
    fact: AskedFact | None = None
    evidence: tuple[EvidenceSet, ...] = ()
    answer_set: tuple[GoldAnswer, ...] = ()


def parse_question(row: object, shape: QuestionShape, rank_keys: Sequence[str], *, needs_text: bool) -> Question:
    """Read one record of this form; what is wrong with it is a RecordFault."""
    if not isinstance(row, dict):
        raise RecordFault("no JSON object")
    question = _kilt(row, rank_keys) if shape is QuestionShape.KILT else _PARSERS[shape](row)
    # Without its text a question can still be scored by its id.
    text = question.text if needs_text else question.text or question.id
    fault, pair = pair_of({"question": text, "answer": list(question.answers)})
    if pair is None:
        raise RecordFault(fault)
    return question


def id_of(row: Mapping[str, Any], key: str) -> str | None:
    """Return an id as KILT compares it: 7 and " 7" are the same."""
    value = row.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
        raise RecordFault(f"its {key!r} is neither text nor a number")
    return None if value is None else str(value).strip()


def provenance_of(output: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the pieces of evidence in one of KILT's outputs."""
    provenance = output.get("provenance") or []
    if not isinstance(provenance, list) or not all(isinstance(piece, dict) for piece in provenance):
        raise RecordFault("its provenance is no list of objects")
    return provenance


def objects_of(row: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return a list of objects that a record must have."""
    value = row.get(key)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise RecordFault(f"its {key!r} is no list of objects")
    return value


def texts_of(value: object) -> tuple[str, ...]:
    """Return a list of texts; of whatever else none."""
    is_texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return tuple(value) if isinstance(value, list) and is_texts else ()


def _nq_open(row: Mapping[str, Any]) -> Question:
    _, pair = pair_of(row)
    return Question(_text(row, "question"), tuple(pair[1]) if pair else texts_of(row.get("answer")), fact=_fact(row))


def _entityquestions(row: Mapping[str, Any]) -> Question:
    return Question(_text(row, "question"), texts_of(row["answers"]) if "answers" in row else (), fact=_fact(row))


def _triviaqa(row: Mapping[str, Any]) -> Question:
    answer = row.get("Answer")
    if not isinstance(answer, dict):
        raise RecordFault(_NO_GOLD)
    names = (answer.get("Value"), *texts_of(answer.get("Aliases")), *texts_of(answer.get("HumanAnswers")))
    # TriviaQA's own normalisation takes punctuation out in another way, so its forms come in only if there is no other.
    found = _names(names) or _names(texts_of(answer.get("NormalizedAliases")))
    return Question(_text(row, "Question"), found, id_of(row, "QuestionId"))


def _webquestions(row: Mapping[str, Any]) -> Question:
    target = row.get("targetValue")
    if target is None:
        raise RecordFault(_NO_GOLD)
    if not isinstance(target, str) or not _TARGET.fullmatch(target):
        raise RecordFault(f'its targetValue {target!r} does not read (list (description "…") …)')
    found = (re.sub(r"\\(.)", r"\1", quoted) or plain for quoted, plain in _DESCRIPTION.findall(target))
    return Question(_text(row, "utterance"), tuple(found))


def _popqa(row: Mapping[str, Any]) -> Question:
    answers = row.get("possible_answers")
    try:
        answers = json.loads(answers) if isinstance(answers, str) else answers
    except ValueError as error:
        raise RecordFault(f"its possible_answers are no JSON list: {answers!r}") from error
    ids = (_entity(row.get("s_uri")), POPQA_PROPERTIES.get(str(row.get("prop"))), _entity(row.get("o_uri")))
    return Question(_text(row, "question"), texts_of(answers), id_of(row, "id"), AskedFact(*ids) if any(ids) else None)


def _kilt(row: Mapping[str, Any], rank_keys: Sequence[str]) -> Question:
    if row.get("output") is None:
        raise RecordFault(_NO_GOLD)
    outputs = objects_of(row, "output")
    answers = _names(output.get("answer") for output in outputs)
    if not answers:
        raise RecordFault(_NO_GOLD)
    proven = [output for output in outputs if output.get("provenance") is not None]
    evidence = [EvidenceSet.of(provenance_of(output), rank_keys) for output in proven]
    one = id_of(row, "id")
    if not one:
        raise RecordFault("no id")
    return Question(_text(row, "input"), answers, one, evidence=tuple(evidence))


def _qampari(row: Mapping[str, Any]) -> Question:
    if row.get("answer_list") is None:
        raise RecordFault(_NO_GOLD)
    answers = objects_of(row, "answer_list")
    if not all(isinstance(each.get("aliases"), list) for each in answers):
        raise RecordFault("one of its answers lacks its aliases")
    gold = tuple(GoldAnswer(_text(each, "answer_text"), texts_of(each["aliases"])) for each in answers)
    names = _names(name for answer in gold for name in (answer.text, *answer.aliases))
    return Question(_text(row, "question_text"), names, id_of(row, "qid"), answer_set=gold)


_PARSERS: Mapping[QuestionShape, Callable[[Mapping[str, Any]], Question]] = MappingProxyType(
    {
        QuestionShape.NQ_OPEN: _nq_open,
        QuestionShape.TRIVIAQA: _triviaqa,
        QuestionShape.WEBQUESTIONS: _webquestions,
        QuestionShape.POPQA: _popqa,
        QuestionShape.ENTITYQUESTIONS: _entityquestions,
        QuestionShape.QAMPARI: _qampari,
    }
)


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str):
        raise RecordFault(f"its {key!r} is no text")
    return value


def _names(values: Any) -> tuple[str, ...]:
    """Return each name once, without those that are blank."""
    stripped = (value.strip() for value in values if isinstance(value, str))
    return tuple(dict.fromkeys(filter(None, stripped)))


def _fact(row: Mapping[str, Any]) -> AskedFact | None:
    ids = [value if isinstance(value := row.get(key), str) else None for key in AskedFact._fields]
    return AskedFact(*ids) if any(ids) else None


def _entity(uri: object) -> str | None:
    found = _ENTITY_IN_URI.fullmatch(uri) if isinstance(uri, str) else None
    return found[1] if found else None
