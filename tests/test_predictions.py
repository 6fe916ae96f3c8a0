import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmill.errors import SourceFormatError
from factmill.names import ShardName
from factmill.prediction_records import PredictionShape
from factmill.predictions import Predictions, read_predictions
from factmill.question_shapes import QuestionShape
from factmill.questions import QuestionSet
from factmill.results import Hit
from factmill.retrieved_file import retrieved_line

ASKED = QuestionSet("q.jsonl", "0" * 64, ("Who sings Bad?", "why", "where is it"), (("a",), ("b",), ("c",)))
WITH_IDS = QuestionSet(
    "kilt.jsonl", "0" * 64, ASKED.questions, ASKED.gold, shape=QuestionShape.KILT, ids=("1", "2", "3")
)
TWICE = QuestionSet("q.jsonl", "0" * 64, ("why", "who", "Why?"), (("a",), ("b",), ("c",)))


def _lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _read(tmp_path: Path, text: str, questions: QuestionSet = ASKED) -> Predictions:
    path = tmp_path / "predicted"
    path.write_text(text, encoding="utf-8")
    return read_predictions(path, questions)


def _said(question: str, *answers: str) -> dict[str, Any]:
    return {"question": question, "answer": list(answers)}


def _retrieved(question: str, *pairs: tuple[str, list[str], float]) -> dict[str, Any]:
    found = [{"question": asked, "answer": answer, "score": score} for asked, answer, score in pairs]
    return {"input_qa": {"question": question, "answer": ["x"]}, "retrieved_qas": found}


def test_of_a_retrieved_pair_the_first_answer_counts_in_the_order_of_the_list(tmp_path: Path) -> None:
    read = _read(
        tmp_path,
        _lines(
            _retrieved("who sings bad", ("who sang bad", ["Jackson", "MJ"], 10.3), ("bad singer", ["U2"], 12.1)),
            _retrieved("why"),
            _retrieved("where is it", ("where was it", ["there"], 9.0)),
        ),
    )
    assert read == Predictions(
        name="predicted",
        sha256=read.sha256,
        shape=PredictionShape.RETRIEVED,
        answers=(("Jackson", "U2"), (), ("there",)),
        confidence=(None, None, None),
        pages=None,
        asked=(("who sang bad", "bad singer"), (), ("where was it",)),
        is_set=False,
        n_extra=0,
    )


def test_what_evaluate_writes_is_read_back(tmp_path: Path) -> None:
    shard = ShardName("paq", "base")
    hits = [
        [Hit(0.5, shard, str(number), f"asked {number}", [f"answer {number}", "other"], None, [], None, None, None)]
        for number in range(3)
    ]
    rows = zip(ASKED.questions, ASKED.gold, hits, strict=True)
    read = _read(tmp_path, "".join(retrieved_line(*row) for row in rows))
    assert read.answers == (("answer 0",), ("answer 1",), ("answer 2",))
    assert read.asked == (("asked 0",), ("asked 1",), ("asked 2",))


def test_a_reranker_says_how_sure_it_is(tmp_path: Path) -> None:
    said = [("why", "b", 0.25), ("where is it", "", -3), ("who sings bad", "a", 1.5)]
    rows = [{"question": question, "prediction": told, "score": score, "index": 4} for question, told, score in said]
    read = _read(tmp_path, _lines(*rows))
    assert (read.shape, read.answers) == (PredictionShape.RERANKED, (("a",), ("b",), ()))
    assert read.confidence == (1.5, 0.25, -3.0)


def test_kilts_predictions_are_aligned_by_id(tmp_path: Path) -> None:
    ranked = [{"wikipedia_id": 7}, {"wikipedia_id": "8"}, {"wikipedia_id": 7}]
    outputs: dict[object, list[dict[str, Any]]] = {
        3: [{"answer": 1996, "provenance": ranked}],
        "9": [{"answer": "extra"}],
        " 1": [{"answer": " a "}, {"provenance": ranked[1:]}],
        "2": [{"provenance": []}],
    }
    read = _read(tmp_path, _lines(*({"id": one, "output": output} for one, output in outputs.items())), WITH_IDS)
    assert (read.shape, read.answers) == (PredictionShape.KILT, (("a",), (), ("1996",)))
    assert (read.pages, read.n_extra) == ((("8", "7"), (), ("7", "8")), 1)


def test_kilts_evidence_may_be_named_more_finely(tmp_path: Path) -> None:
    path = tmp_path / "predicted"
    pieces = [{"wikipedia_id": 7, "section": "A"}, {"wikipedia_id": 7}, {"wikipedia_id": 7, "section": "B"}]
    path.write_text(_lines(*({"id": one, "output": [{"answer": "", "provenance": pieces}]} for one in (1, 2, 3))))
    read = read_predictions(path, WITH_IDS, rank_keys=["wikipedia_id", "section"])
    assert read.pages == (("7+A", "7+B"),) * 3


def test_kilts_predictions_with_texts_fit_questions_without_ids(tmp_path: Path) -> None:
    rows = [{"id": text, "input": text, "output": [{"answer": text}]} for text in reversed(ASKED.questions)]
    assert _read(tmp_path, _lines(*rows)).answers == (("Who sings Bad?",), ("why",), ("where is it",))


@pytest.mark.parametrize("as_array", [False, True])
@pytest.mark.parametrize("name", ["qid", "question_text", "question", None])
def test_qamparis_predictions_are_a_set(tmp_path: Path, name: str | None, *, as_array: bool) -> None:
    names = {"qid": WITH_IDS.ids or (), None: ("", "", "")}.get(name, ASKED.questions)
    rows = [
        ({name: named} if name else {}) | {"predictions": answers, "answer_list": []}
        for named, answers in zip(names, (["a", "A"], [], ["c"]), strict=True)
    ]
    if name:
        rows.reverse()
    read = _read(tmp_path, json.dumps(rows, indent=1) if as_array else _lines(*rows), WITH_IDS)
    assert (read.shape, read.is_set) == (PredictionShape.QAMPARI, True)
    assert read.answers == (("a", "A"), (), ("c",))


def test_lines_of_text_are_answers_in_order(tmp_path: Path) -> None:
    read = _read(tmp_path, "[untitled]\n\nC’est là\n")
    assert (read.shape, read.answers) == (PredictionShape.TEXT, (("[untitled]",), (), ("C’est là",)))
    assert _read(tmp_path, "a\r\nb\r\nc").answers == (("a",), ("b",), ("c",))


def test_answers_are_a_text_or_a_list_best_first(tmp_path: Path) -> None:
    rows = [_said("why", "b", "b2"), {"question": "WHO sings  bad", "answer": "a"}, _said("where is it?")]
    read = _read(tmp_path, _lines(*rows))
    assert (read.shape, read.answers) == (PredictionShape.ANSWERS, (("a",), ("b", "b2"), ()))
    rows = [{"question": question, "prediction": question.upper()} for question in ASKED.questions]
    assert _read(tmp_path, _lines(*rows)).answers == (("WHO SINGS BAD?",), ("WHY",), ("WHERE IS IT",))


def test_packed_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "predicted.gz"
    path.write_bytes(gzip.compress(b"a\nb\nc\n"))
    assert read_predictions(path, ASKED).answers == (("a",), ("b",), ("c",))


def test_questions_that_stand_twice_are_aligned_in_order_of_occurrence(tmp_path: Path) -> None:
    rows = [_said("who", "b"), _said("why ", "first"), _said("WHY", "second")]
    assert _read(tmp_path, _lines(*rows), TWICE).answers == (("first",), ("b",), ("second",))


def test_questions_that_differ_by_case_only_find_their_own_prediction(tmp_path: Path) -> None:
    rows = [_said("who", "b"), _said("Why?", "second"), _said("why", "first")]
    assert _read(tmp_path, _lines(*rows), TWICE).answers == (("first",), ("b",), ("second",))


def test_questions_that_a_system_wrote_alike_stay_in_their_order(tmp_path: Path) -> None:
    rows = [_said("why", "first"), _said("who", "b"), _said("why", "second")]
    reversed_set = replace(TWICE, questions=("Why?", "who", "why"))
    assert _read(tmp_path, _lines(*rows), reversed_set).answers == (("first",), ("b",), ("second",))


def test_questions_may_be_written_as_paq_writes_them(tmp_path: Path) -> None:
    asked = replace(ASKED, questions=("Who Moved My Cheese? ?", "¿Qué?", "Cafe\u0301  NOIR?"))
    rows = [_said("who moved my cheese?", "a"), _said("¿qué", "b"), _said("café noir", "c")]
    assert _read(tmp_path, _lines(*reversed(rows)), asked).answers == (("a",), ("b",), ("c",))


def test_predictions_that_nobody_asked_for_are_counted(tmp_path: Path) -> None:
    others = [_said("what", "x"), _said("Why?", "b")]
    read = _read(tmp_path, _lines(*others, *(_said(question, "b") for question in ASKED.questions)))
    assert (read.answers, read.n_extra) == ((("b",), ("b",), ("b",)), 2)


THREE = [_said(question, "x") for question in ASKED.questions]
IN_SETS = [{"predictions": ["a"], "question": question} for question in ASKED.questions]
OUTPUT = [{"answer": "a"}]
REFUSED = {
    "a question is missing": (_lines(*THREE[:2]), r"no prediction for question 3 \('where is it'\)\."),
    "two different ones": (
        _lines(*THREE, _said("WHY", "y")),
        r"does not fit q\.jsonl: line 2 and line 4 are different predictions for one question \('WHY'\)",
    ),
    "two different entries": (json.dumps([*THREE, _said("why", "y")]), "entry 2 and entry 4 are different"),
    "a line of text missing": ("a\nb\n", "one prediction for each of 3 in their order, but there are 2"),
    "a line of text too many": ("a\nb\nc\n\n", "one prediction for each of 3 in their order, but there are 4"),
    "sets without names": (_lines({"predictions": []}), "one prediction for each of 3 .* but there are 1"),
    "names only in part": (_lines(*IN_SETS[:2], {"predictions": []}), "line 3 names no question, but others do"),
    "JSON in a text": ("a\nb\n[1]\n", "line 3: JSON among lines of text"),
    "lists on lines": ('["a"]\n["b"]\n["c"]\n', "line 1: JSON among lines of text"),
    "no form": (
        _lines({"question": "why"}),
        "line 1: no predictions of a known form, by the keys: 'question'.*Known",
    ),
    "another form later": (_lines(THREE[0], {"predictions": []}), "line 2: its answer is neither a text nor a list"),
    "no object": (_lines(THREE[0], "why"), "line 2: no JSON object.*read as answers"),
    "half a line": (_lines(*THREE)[:-20], "line 3: not JSON"),
    "an empty array": ("[]", "holds no predictions"),
    "a number for an answer": (_lines({"question": "why", "answer": [1]}), "neither a text nor a list of texts"),
    "a number for a prediction": (_lines({"predictions": ["a", 1]}), "line 1: its 'predictions' are no list of texts"),
    "a pair without answers": (_lines(_retrieved("why", ("a", [], 1.0))), "line 1: its retrieved pair 1 has no answer"),
    "no pairs": (_lines({"input_qa": {"question": "a"}, "retrieved_qas": None}), "'retrieved_qas' is no list of"),
    "no question": (_lines({"input_qa": {}, "retrieved_qas": []}), "line 1: it has no 'question'"),
    "no score": (
        '{"question": "why", "prediction": "a", "score": NaN, "index": 1}\n',
        "line 1: its 'score' is no number.*read as paq-reranker",
    ),
    "ids for nobody": (_lines({"id": 1, "output": OUTPUT}), "the predictions name ids, but the questions have none"),
}
REFUSED_IDS = {
    "an id is missing": (_lines({"id": 1, "output": OUTPUT}), r"there is no prediction for id '2' \(question 2\)"),
    "an id twice": (_lines(*({"id": one, "output": OUTPUT} for one in (1, 2, 3, " 2"))), "line 2 and line 4 .* id '2'"),
    "two answers": (_lines({"id": 1, "output": OUTPUT * 2}), "line 1: KILT takes one output for each id"),
    "two rankings": (
        _lines({"id": 1, "output": [{"provenance": []}] * 2}),
        "line 1: KILT takes one output for each id",
    ),
    "no output": (_lines({"id": 1, "output": []}), "line 1: KILT takes one output for each id"),
    "an answer that is none": (_lines({"id": 1, "output": [{"answer": None}]}), "line 1: its answer is no text"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_aligned_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SourceFormatError, match=message):
        _read(tmp_path, text)


@pytest.mark.parametrize(("text", "message"), REFUSED_IDS.values(), ids=REFUSED_IDS)
def test_ids_that_cannot_be_aligned_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SourceFormatError, match=message):
        _read(tmp_path, text, WITH_IDS)


def test_a_question_asked_twice_needs_two_predictions(tmp_path: Path) -> None:
    with pytest.raises(SourceFormatError, match=r"question 3 \('Why\?'\); it is asked 2 times and answered 1\."):
        _read(tmp_path, _lines(_said("why", "a"), _said("who", "b")), TWICE)
