import gzip
import json
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from factmill.errors import ConfigError, SourceFormatError
from factmill.question_records import AskedFact
from factmill.question_shapes import QuestionShape
from factmill.questions import QuestionSet, read_questions
from factmill.scoring.provenance import EvidenceSet
from factmill.scoring.qampari import GoldAnswer

POPQA_HEADER = "id\tsubj\tprop\tobj\tsubj_id\tprop_id\tobj_id\ts_uri\to_uri\ts_wiki_title\tquestion\tpossible_answers"
POPQA_ROW = (
    "7\tDune\tauthor\tFrank Herbert\t1\t484\t2\thttp://www.wikidata.org/entity/Q190192\t"
    'http://www.wikidata.org/entity/Q7934\tDune\tWho is the author of Dune?\t"[""Frank Herbert"", ""F. Herbert""]"'
)
POPQA = {
    "id": 7,
    "prop": "author",
    "s_uri": "http://www.wikidata.org/entity/Q190192",
    "o_uri": "http://www.wikidata.org/entity/Q7934",
    "question": "Who is the author of Dune?",
    "possible_answers": '["Frank Herbert", "F. Herbert"]',
}
KILT = {
    "id": 12,
    "input": "Dune [SEP] author",
    "output": [
        {"answer": "Frank Herbert", "provenance": [{"wikipedia_id": 10, "section": "A"}, {"wikipedia_id": "11"}]},
        {"provenance": [{"wikipedia_id": "12", "section": "B"}]},
        {"answer": " F. Herbert "},
        {"answer": "Frank Herbert", "provenance": []},
    ],
}
QAMPARI = {
    "qid": "1__wikidata_simple__dev",
    "question_text": "Which films did she direct?",
    "answer_list": [
        {"answer_text": "Near Dark", "aliases": ["Near Dark", "Dark"], "aid": "0", "proof": []},
        {"answer_text": "Detroit", "aliases": ["Detroit film"], "aid": "1", "proof": []},
    ],
}
TRIVIAQA = {
    "Question": "Which band sang Hey Jude?",
    "QuestionId": "tc_1",
    "Answer": {
        "Value": "The Beatles",
        "Aliases": ["Beatles", "The Beatles", " "],
        "NormalizedAliases": ["beatles"],
        "HumanAnswers": ["Fab Four"],
    },
}
WEBQUESTIONS = {
    "url": "http://www.freebase.com/view/en/x",
    "targetValue": '(list (description "Padmé Amidala") (description Queen) (description "\\"Weird Al\\" (singer)"))',
    "utterance": "what character did natalie portman play?",
}


def _lines(*records: object) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _read(tmp_path: Path, text: str, name: str = "questions") -> QuestionSet:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_questions(path)


def _facts(questions: QuestionSet) -> Sequence[AskedFact | None]:
    return questions.facts or ()


def test_pairs_may_name_their_facts(tmp_path: Path) -> None:
    fact = {"subject": "Q1", "property": "P50", "object": "Q2"}
    asked = {"question": "Who wrote it?", "answer": ["Her", "She"]}
    read = _read(tmp_path, _lines(asked | fact, {"question": "why", "answer": "so"}, asked | {"property": "P17"}))
    assert (read.shape, read.ids, read.evidence, read.answer_sets) == (QuestionShape.NQ_OPEN, None, None, None)
    assert read.questions == ("Who wrote it?", "why", "Who wrote it?")
    assert read.gold == (("Her", "She"), ("so",), ("Her", "She"))
    assert read.facts == (AskedFact("Q1", "P50", "Q2"), None, AskedFact(None, "P17", None))
    assert _read(tmp_path, _lines(asked)).facts is None


def test_pairs_may_have_keys_of_other_forms(tmp_path: Path) -> None:
    pair = {"question": "why", "answer": "so", "answers": [{"text": "so"}], "id": 1, "input": "x", "output": []}
    read = _read(tmp_path, _lines(pair))
    assert (read.shape, read.questions, read.gold, read.ids) == (QuestionShape.NQ_OPEN, ("why",), (("so",),), None)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("around", [({}, {"Version": 1.0}), ({"Domain": "Web", "VerifiedEval": False}, {})])
def test_triviaqa_is_one_object_with_its_data(
    tmp_path: Path, indent: int | None, around: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    normalised = {"Question": "b", "QuestionId": "tc_2", "Answer": {"NormalizedAliases": ["c"], "Value": ""}}
    whole = around[0] | {"Data": [TRIVIAQA, normalised]} | around[1]
    read = _read(tmp_path, json.dumps(whole, indent=indent))
    assert (read.shape, read.ids) == (QuestionShape.TRIVIAQA, ("tc_1", "tc_2"))
    assert read.questions == ("Which band sang Hey Jude?", "b")
    assert read.gold == (("The Beatles", "Beatles", "Fab Four"), ("c",))


def test_webquestions_lists_its_answers_in_brackets(tmp_path: Path) -> None:
    read = _read(tmp_path, json.dumps([WEBQUESTIONS]))
    assert (read.shape, read.questions) == (QuestionShape.WEBQUESTIONS, ("what character did natalie portman play?",))
    assert read.gold == (("Padmé Amidala", "Queen", '"Weird Al" (singer)'),)


@pytest.mark.parametrize("text", [f"{POPQA_HEADER}\n{POPQA_ROW}\n", _lines(POPQA), json.dumps([POPQA])])
def test_popqa_names_its_facts_by_their_addresses(tmp_path: Path, text: str) -> None:
    read = _read(tmp_path, text)
    assert (read.shape, read.ids, read.questions) == (QuestionShape.POPQA, ("7",), ("Who is the author of Dune?",))
    assert read.gold == (("Frank Herbert", "F. Herbert"),)
    assert read.facts == (AskedFact("Q190192", "P50", "Q7934"),)


def test_entityquestions_has_its_property_in_the_name_of_the_file(tmp_path: Path) -> None:
    asked = [{"question": "Where was she born?", "answers": ["Rome", "Roma"]}, {"question": "b", "answers": ["c"]}]
    read = _read(tmp_path, json.dumps(asked), "P19.dev.json")
    assert (read.shape, read.gold) == (QuestionShape.ENTITYQUESTIONS, (("Rome", "Roma"), ("c",)))
    assert read.facts == (AskedFact(None, "P19", None), AskedFact(None, "P19", None))
    assert _read(tmp_path, _lines(*asked), "dev.jsonl").facts is None


def test_kilt_has_sets_of_evidence(tmp_path: Path) -> None:
    path = tmp_path / "kilt.jsonl"
    path.write_text(_lines(KILT))
    read = read_questions(path)
    assert (read.shape, read.ids, read.questions) == (QuestionShape.KILT, ("12",), ("Dune [SEP] author",))
    assert read.gold == (("Frank Herbert", "F. Herbert"),)
    assert read.evidence == ((EvidenceSet(("10", "11")), EvidenceSet(("12",)), EvidenceSet(())),)
    finer = read_questions(path, rank_keys=["wikipedia_id", "section"]).evidence
    assert finer == ((EvidenceSet(("10+A",), ("11",)), EvidenceSet(("12+B",)), EvidenceSet(())),)


def test_kilt_without_texts_is_read_where_nobody_needs_them(tmp_path: Path) -> None:
    path = tmp_path / "kilt.jsonl"
    path.write_text(_lines({"id": 1, "output": [{"answer": "a"}]}))
    assert read_questions(path, needs_text=False).questions == ("",)
    with pytest.raises(SourceFormatError, match="line 1: no question"):
        read_questions(path)


def test_qampari_keeps_each_answer_with_its_aliases(tmp_path: Path) -> None:
    read = _read(tmp_path, _lines(QAMPARI))
    assert (read.shape, read.ids) == (QuestionShape.QAMPARI, ("1__wikidata_simple__dev",))
    assert read.questions == ("Which films did she direct?",)
    assert read.gold == (("Near Dark", "Dark", "Detroit", "Detroit film"),)
    answers = (GoldAnswer("Near Dark", ("Near Dark", "Dark")), GoldAnswer("Detroit", ("Detroit film",)))
    assert read.answer_sets == (answers,)


@pytest.mark.parametrize(
    "record",
    [
        {"question": "a", "answer": ["é"]},
        TRIVIAQA,
        WEBQUESTIONS,
        POPQA,
        {"question": "a", "answers": ["b"]},
        KILT,
        QAMPARI,
    ],
    ids=list(QuestionShape),
)
def test_a_form_is_the_same_in_lines_and_in_an_array_plain_and_packed(tmp_path: Path, record: dict[str, Any]) -> None:
    second = record | {"question": "c", "id": "other", "QuestionId": "other", "qid": "other"}
    array = json.dumps([record, second], indent=1, ensure_ascii=False)
    texts = {"lines": _lines(record, second), "array": array, "mark": "\ufeff" + array}
    packed = tmp_path / "lines.gz"
    packed.write_bytes(gzip.compress(texts["lines"].encode()))
    read = [_read(tmp_path, text) for text in texts.values()] + [read_questions(packed)]
    assert {(each.shape, each.questions, each.gold, each.ids, each.facts, each.evidence) for each in read} == {
        (read[0].shape, read[0].questions, read[0].gold, read[0].ids, read[0].facts, read[0].evidence)
    }
    assert len(read[0]) == 2


REFUSED = {
    "no form": (
        _lines({"q": 1, "a": 2}),
        r"questions, line 1: no questions of a known form, by the keys: 'a', 'q'\. Known",
    ),
    "no object": (_lines({"question": "a", "answer": ["b"]}, ["c"]), "line 2: no JSON object.*read as nq-open"),
    "not JSON": (_lines({"question": "a", "answer": ["b"]}) + "c\n", "line 2: not JSON"),
    "empty line": (_lines({"question": "a", "answer": ["b"]}) + "\n", "line 2: an empty line, not JSON"),
    "half a line": (_lines(KILT) + _lines(KILT)[:90], "line 2: not JSON"),
    "half an array": (json.dumps([QAMPARI, QAMPARI])[:-90], "entry 2: no JSON in UTF-8, or cut off"),
    "an open array": (json.dumps([QAMPARI])[:-1], "entry 2: no JSON in UTF-8, or cut off"),
    "more than an array": (json.dumps([QAMPARI]) + "[", "entry 2: no JSON in UTF-8, or cut off"),
    "half of TriviaQA": (json.dumps({"Data": [TRIVIAQA]})[:-1], "entry 2: no JSON in UTF-8, or cut off"),
    "an empty array": ("[]", "questions holds no questions"),
    "empty Data": ('{"Data": []}', "questions holds no questions"),
    "no answer": (_lines({"question": "a", "answer": ["b"]}, {"question": "a", "answer": []}), "line 2: no answer"),
    "a blank answer": (json.dumps([{"question": "a", "answers": ["b", " "]}]), "entry 1: no answer"),
    "answers that are no texts": (_lines(POPQA | {"possible_answers": "[1]"}), "line 1: no answer"),
    "answers that are no JSON": (_lines(POPQA | {"possible_answers": "['a']"}), "possible_answers are no JSON list"),
    "no question": (_lines(POPQA | {"question": " "}), "line 1: no question"),
    "half a character": ('{"question": "\\ud800", "answer": ["b"]}\n', "line 1: characters that are no text"),
    "another target": (json.dumps([WEBQUESTIONS | {"targetValue": "(list (number 3))"}]), "entry 1: its targetValue"),
    "KILT's test": (_lines({"id": 1, "input": "a"}), "line 1: it has no gold answers.*read as kilt"),
    "KILT's empty test": (_lines({"id": 1, "input": "a", "output": [{"provenance": []}]}), "it has no gold answers"),
    "TriviaQA's test": (
        json.dumps({"Data": [{"Question": "a", "QuestionId": "b"}]}),
        "entry 1: it has no gold answers",
    ),
    "QAMPARI's test": (_lines({"qid": "a", "question_text": "b"}), "line 1: it has no gold answers"),
    "no aliases": (
        _lines(QAMPARI | {"answer_list": [{"answer_text": "a"}]}),
        "line 1: one of its answers lacks its aliases",
    ),
    "an id twice": (_lines(KILT, KILT | {"id": " 12"}), "questions: question 1 and question 2 have the same id '12'"),
    "an id missing": (_lines(QAMPARI, {**QAMPARI, "qid": None}), "question 2 has no id, but others have"),
    "SimpleQuestions by ids": ("Q1\tP31\tQ5\twhat is it\n", "names the object of each fact, but no answer as a text"),
    "inverse SimpleQuestions": ("Q1\tR31\tQ5\twhat is it\n", "names the object of each fact, but no answer as a text"),
    "another table": ("question\tanswer\na\tb\n", "line 1: neither JSON nor a TSV with PopQA's columns"),
    "text": ("who is it\n", "line 1: neither JSON nor a TSV with PopQA's columns.*Known are nq-open"),
    "half a row": (
        f"{POPQA_HEADER}\n{POPQA_ROW}\n{POPQA_ROW[:40]}\n",
        "line 3: 8 cells under 12 columns.*read as popqa",
    ),
    "an open quotation mark": (f"{POPQA_HEADER}\n{POPQA_ROW[:-4]}\n", "line 2: no row of a TSV"),
    "a header alone": (f"{POPQA_HEADER}\n", "questions holds no questions"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_question_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SourceFormatError, match=message):
        _read(tmp_path, text)


def test_an_empty_file_and_other_encodings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceFormatError, match="is empty"):
        _read(tmp_path, "")
    with pytest.raises(ConfigError, match="does not exist"):
        read_questions(tmp_path / "nowhere")
    (tmp_path / "latin").write_bytes(POPQA_HEADER.encode() + b"\n\xe9\n")
    with pytest.raises(SourceFormatError, match="line 2: not UTF-8"):
        read_questions(tmp_path / "latin")


def test_a_large_array_takes_the_memory_of_what_is_kept(tmp_path: Path) -> None:
    n = 3_000
    padded = [TRIVIAQA | {"QuestionId": str(number), "SearchResults": ["x" * 10_000]} for number in range(n)]
    path = tmp_path / "unfiltered.json"
    path.write_text(json.dumps({"Data": padded}))
    tracemalloc.start()
    read = read_questions(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(read), read.ids) == (n, tuple(map(str, range(n))))
    assert path.stat().st_size > 30_000_000 > 2 * peak


def test_the_questions_of_the_shared_data_are_read(shared: Path) -> None:
    read = {path.name: read_questions(path) for path in sorted((shared / "questions").iterdir())}
    facts = {name: sum(fact is not None for fact in _facts(each)) for name, each in read.items()}
    assert {name: (len(each), facts[name]) for name, each in read.items()} == {
        "base_corpus.jsonl.gz": (10_036, 0),
        "entityquestions_dev.jsonl.gz": (22_068, 22_068),
        "metaqa_dev.jsonl.gz": (9_990, 0),
        "movieqa_train.jsonl.gz": (10_000, 0),
        "nq_dev.jsonl.gz": (8_757, 0),
        "popqa_A.jsonl.gz": (968, 968),
        "simplequestions_wd_train.jsonl.gz": (1_391, 1_391),
        "triviaqa_dev.jsonl.gz": (8_837, 0),
        "webq_train.jsonl.gz": (3_778, 0),
    }
