import hashlib
import random
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest

from factmill.facts import IdSpace
from factmill.paq_form import paq_form
from factmill.warehouse import Warehouse, check_names, statement
from tests.dumps import DESCRIPTION, DIRECT, ENTITY, SONGS, XSD, date, fact, name
from tests.milling import Mill, answers, milled

__all__ = ["milled"]


def _qa_id(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def test_a_fact_becomes_a_pair_with_its_evidence(milled: Mill, tmp_path: Path) -> None:
    result, _ = milled([name("Q1", "Skyfall"), name("Q10", "Adele"), fact("Q1", "P175", "Q10")])
    (row,) = result.rows.table().to_pylist()
    assert row == {
        "qa_id": _qa_id("wikidata/P175", "who sings {{ subject }}", "Q1"),
        "ordinal": None,
        "question": "who sings skyfall",
        "answer": ["Adele"],
        "source": "wikidata",
        "predicate": "P175",
        "template": f"{tmp_path.name}/P175_t",
        "wording": "who sings {{ subject }}",
        "subject": "Q1",
        "subject_label": "Skyfall",
        "subject_name": "Skyfall",
        "objects": ["Q10"],
        "kind": "single",
        "popularity": 1,
        "licence": "CC0-1.0",
        "as_of": None,
        "places": [f"0+{len(name('Q1', 'Skyfall')) + len(name('Q10', 'Adele')) + 2}"],
        "wikipedia_title": None,
    }


def test_two_subjects_of_one_name_are_merged_the_better_known_first(milled: Mill) -> None:
    result, refused = milled(SONGS)
    assert answers(result) == {"who sings hello": ["Adele", "Lionel Richie", "Adele Adkins"]}
    (row,) = result.rows.table().to_pylist()
    assert (row["subject"], row["objects"], result.n_merged) == ("Q1", ["Q10", "Q11"], 1)
    assert refused == {
        "the object has no label": 1,
        "the subject has no label": 1,
        "answer stands in the question": 1,
    }


def test_every_fact_is_asked_merged_or_refused(milled: Mill) -> None:
    result, refused = milled(SONGS)
    assert result.n_facts == 5
    facts_behind_pairs = sum(len(row["objects"]) for row in result.rows.table().to_pylist())
    assert facts_behind_pairs + sum(refused.values()) == result.n_facts


def test_the_best_known_object_comes_first_and_other_forms_last(milled: Mill) -> None:
    lines = [name("Q1", "Titanic"), date("Q1", "P577", "1997-12-19"), date("Q1", "P577", "1998-01-01")]
    result, _ = milled(lines, "when was {{ subject }} released", predicate="P577")
    assert answers(result) == {
        "when was titanic released": ["December 19, 1997", "1998", "19 December 1997"],
    }
    crowd = [name(f"Q{n}", f"Person {n}") for n in (2, 3)] + [name("Q1", "Heat"), fact("Q9", "P1", "Q3")]
    result, _ = milled([*crowd, fact("Q1", "P175", "Q2"), fact("Q1", "P175", "Q3")])
    assert answers(result) == {"who sings heat": ["Person 3", "Person 2"]}


def test_subject_types_include_subclasses_and_survive_cycles(milled: Mill) -> None:
    lines = [*SONGS, fact("Q2188189", "P279", "Q7366"), name("Q6", "Heat"), fact("Q6", "P175", "Q11")]
    result, refused = milled(lines, extra='subject_types = ["Q2188189"]')
    assert answers(result) == {"who sings hello": ["Adele", "Lionel Richie", "Adele Adkins"]}
    assert refused["the subject is of another type"] == 3


def test_several_wordings_give_several_pairs_with_ids_of_their_own(milled: Mill) -> None:
    lines = [name("Q1", "Skyfall"), name("Q10", "Adele"), fact("Q1", "P175", "Q10")]
    result, _ = milled(lines, "who sings {{ subject }}", "who performed {{ subject }}")
    ids = result.rows.table()["qa_id"].to_pylist()
    assert len(set(ids)) == 2
    assert ids == sorted(ids)


def test_an_id_is_stable_when_only_the_answer_changes(milled: Mill) -> None:
    base = [name("Q1", "Skyfall"), name("Q10", "Adele"), name("Q11", "Lionel Richie")]
    before, _ = milled([*base, fact("Q1", "P175", "Q10")])
    after, _ = milled([*base, fact("Q1", "P175", "Q11")])
    assert before.rows.table()["qa_id"] == after.rows.table()["qa_id"]
    assert before.rows.table()["answer"] != after.rows.table()["answer"]


@pytest.mark.parametrize(
    ("kinds", "answer", "refused"),
    [
        ('["date"]', ["October 4, 1997", "1998", "4 October 1997"], 3),
        ('["quantity"]', ["1998", "7", "seven"], 3),
        ('["entity", "text"]', ["Adele", "in a garage"], 3),
        ('["url"]', None, 5),
        ("[]", ["Adele", "October 4, 1997", "1998", "7", "in a garage", "4 October 1997", "seven"], 0),
    ],
)
def test_values_of_another_kind_are_refused_but_a_number_may_be_a_year(
    milled: Mill, kinds: str, answer: list[str] | None, refused: int
) -> None:
    def literal(text: str) -> str:
        return f'<{ENTITY}Q1> <{DIRECT}P175> "{text} .'

    lines = [
        name("Q1", "Google"),
        name("Q10", "Adele"),
        fact("Q1", "P175", "Q10"),
        date("Q1", "P175", "1997-10-04"),
        literal(f'1998"^^<{XSD}decimal>'),
        literal(f'7"^^<{XSD}decimal>'),
        literal('in a garage"'),
    ]
    result, reasons = milled(lines, "what of {{ subject }}", extra=f"answer_kinds = {kinds}")
    n_refused = reasons.pop("the value is of another kind", 0)
    assert (answers(result).get("what of google"), n_refused, reasons) == (answer, refused, {})


def test_a_wording_may_use_the_description_of_the_subject(milled: Mill) -> None:
    descriptions = {"Q1": "song by {{ 7*7 }}", "Q2": "tab\\there", "Q3": "x" * 301, "Q5": " ", "Q6": "2019 song"}
    lines = [name("Q10", "Adele"), name("Q10", "singer", role=DESCRIPTION)]
    for item in ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6"):
        lines += [name(item, "Hello"), fact(item, "P175", "Q10")]
    lines += [name(item, text, role=DESCRIPTION) for item, text in descriptions.items()]
    wording = "who sings {{ subject }}, the {{ description }}"
    result, refused = milled(lines, wording)
    assert {row["question"]: row["qa_id"] for row in result.rows.table().to_pylist()} == {
        "who sings hello, the song by {{ 7*7 }}": _qa_id("wikidata/P175", wording, "Q1"),
        "who sings hello, the 2019 song": _qa_id("wikidata/P175", wording, "Q6"),
    }
    assert refused == {
        "the subject has no description": 2,
        "the subject's description has control characters": 1,
        "the subject's description is too long": 1,
    }
    plain, refused = milled(lines)
    assert (answers(plain), plain.n_merged, refused) == ({"who sings hello": ["Adele"]}, 5, {})


def test_hostile_labels_come_out_literally_or_as_counted_refusals(milled: Mill) -> None:
    labels = [
        "{{ 7*7 }}",
        "{% raw %}",
        "'; drop table pairs; --",
        "tab\\there",
        "x" * 100_000,
        "\\u202Eabc",
        "?",
        "\U0001f600",
    ]
    lines = [name("Q1", "Adele")]
    for number, label in enumerate(labels, 10):
        lines += [name(f"Q{number}", label), fact(f"Q{number}", "P175", "Q1")]
    result, refused = milled(lines)
    assert set(answers(result)) == {
        "who sings {{ 7*7 }}",
        "who sings {% raw %}",
        "who sings '; drop table pairs; --",
        "who sings \u202eabc",
        "who sings \U0001f600",
    }
    assert refused == {
        "question lacks its subject": 1,
        "the subject's label is too long": 1,
        "the subject's label has control characters": 1,
    }


def _hostile_labels(n: int) -> list[str]:
    """Return different labels made of what has broken things before, some very long."""
    chance = random.Random(7)
    pieces = [
        *("{{ 7*7 }}", "{% raw %}", "{% endraw %}", "{#", "#}", "{{", "}}", "{%- if x -%}", "'; drop table pairs; --"),
        *("\x00", "\x01", "\x1e", "\x1f", "\x7f", "\x85", "\n", "\r\n", "\t", "\u2028", "\u202e", "\u2066", "\u200b"),
        *(
            "\ufeff",
            "\ufffd",
            "e\u0301",
            "\U0001f600",
            "İ",
            "ẞ",
            "Σ",
            "ﬁ",
            "?",
            "??",
            '"',
            "\\",
            "$1",
            "%s",
            "{0}",
            "../",
            "Q42",
        ),
        *("<script>", "&amp;", "x" * 100_000, "é" * 290, "name", "the", " ", "   ", "日本", "עברית"),
    ]
    labels = {"".join(chance.choices(pieces, k=chance.randint(1, 4))) + f" {number}" for number in range(n - 40)}
    return sorted(labels | {piece for piece in pieces if piece.strip()})


def _escaped(text: str) -> str:
    """Write a text as N-Triples do."""
    return "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in text)


def test_five_thousand_hostile_labels_come_out_literally_or_as_counted_refusals(milled: Mill) -> None:
    labels = _hostile_labels(5_000)
    assert len(labels) > 4_900
    lines = [name("Q1", "Adele")]
    for number, label in enumerate(labels, 10):
        lines += [name(f"Q{number}", _escaped(label)), fact(f"Q{number}", "P175", "Q1")]
    result, refused = milled(lines)
    rows = result.rows.table().to_pylist()
    # Staging keeps a name as it is; every pair is the name in PAQ's form, and every other name was counted.
    assert {row["subject_label"] for row in rows} <= set(labels)
    assert all(row["question"] == paq_form(f"who sings {row['subject_label']}") for row in rows)
    assert all(row["answer"] == ["Adele"] for row in rows)
    assert len(rows) + result.n_merged + sum(refused.values()) == len(labels)
    assert len(rows) > 1_000
    assert set(refused) == {
        "question lacks its subject",
        "the subject's label has control characters",
        "the subject's label is no name",
        "the subject's label is too long",
    }


@pytest.fixture
def db(tmp_path: Path) -> Warehouse:
    warehouse = Warehouse(tmp_path)
    warehouse.use_ids(IdSpace.TEXT)
    for macro in ("words_of", "stands_in", "may_stand_in"):
        warehouse.run(macro)
    return warehouse


def _faulty(db: Warehouse, check: str, *pairs: Mapping[str, object]) -> list[str]:
    """Run one check over pairs that are `a`, `b`, `c` … and return the offenders."""
    good = {"question": "who sings hello", "answer": ["Adele"], "subject": "s1", "subject_form": "hello"}
    good["objects"] = ["Q42", "nm0000102"]
    rows = [good | dict(pair) | {"qa_id": chr(ord("a") + number)} for number, pair in enumerate(pairs)]
    for row in rows:
        row["subject_id"] = row["subject"]
    db.load("pairs", pa.Table.from_pylist(rows))
    return list(db.query(statement(f"checks/{check}"))["qa_id"].to_pylist())


def test_check_answer_stands_in_the_question(db: Warehouse) -> None:
    offenders = _faulty(
        db,
        "answer_stands_in_the_question",
        {},
        {"question": "who sings adele live"},
        {"question": "who started it", "answer": ["art"]},
        {"question": "who sings a.b.c. hello", "answer": ["A B C"]},
        {"question": "who sings hello", "answer": ["?"]},
    )
    assert offenders == ["b", "d"]


def test_check_answer_is_no_answer(db: Warehouse) -> None:
    answers = [
        ["Adele"],
        [],
        [""],
        ["…"],
        ["Q42"],
        ["nm0000102"],
        ["ok", " "],
        ["x" * 301],
        ["a\x00"],
        ["$"],
        ["https://x"],
        ["L7"],
        ["Q7"],
    ]
    offenders = _faulty(db, "answer_is_no_answer", *({"answer": answer} for answer in answers))
    assert offenders == ["b", "c", "d", "e", "f", "g", "h", "i", "k"]


def test_check_question_lacks_its_subject(db: Warehouse) -> None:
    offenders = _faulty(db, "question_lacks_its_subject", {}, {"subject_form": "goodbye"}, {"subject_form": ""})
    assert offenders == ["b", "c"]


def test_check_question_is_not_in_paq_form(db: Warehouse) -> None:
    questions = ["who sings hello", "who?", "who  is", " who", "x", "y" * 501, "who\x07is"]
    offenders = _faulty(db, "question_is_not_in_paq_form", *({"question": question} for question in questions))
    assert offenders == ["b", "c", "d", "e", "f", "g"]


def test_check_answer_is_not_what_the_fact_says(db: Warehouse) -> None:
    def qualifier(name: str, text: str, entity: str | None = None) -> list[dict[str, str | None]]:
        return [{"name": name, "object": entity, "value": None if entity else text}]

    facts = [
        {"predicate": "p", "subject": "s1", "object": "o1", "kind": "entity", "qualifiers": qualifier("role", "Neo")},
        {
            "predicate": "p",
            "subject": "s3",
            "object": "o1",
            "kind": "entity",
            "qualifiers": qualifier("role", "", "o2"),
        },
        {"predicate": "p", "subject": "s4", "object": "o1", "kind": "entity", "qualifiers": qualifier("job", "Neo")},
        {"predicate": "other", "subject": "s1", "object": "o2", "kind": "entity"},
        {"predicate": "p", "subject": "s2", "value": "1995-01-01", "kind": "date"},
    ]
    db.load("facts", pa.Table.from_pylist(facts, schema=IdSpace.TEXT.fact_schema()))
    db.load("entities", pa.table({"id": ["o1", "o2"], "label": ["Adele", "Somebody"]}))
    texts = {"kind": ["date", "text"], "value": ["1995-01-01", "Neo"], "forms": [["1995"], ["Neo"]]}
    db.load("answer_forms", pa.table(texts))
    asked = {"predicate": ["p"], "answer": pa.nulls(1, pa.string()), "literal_kind": ["text"], "inverse": [False]}
    db.load("asked", pa.table(asked))
    offenders = _faulty(
        db,
        "answer_is_not_what_the_fact_says",
        {},
        {"answer": ["Somebody"]},
        {"subject": "s2", "answer": ["1995"]},
        {"subject": "s2", "answer": ["Adele"]},
        {"answer": ["Neo"]},
    )
    assert offenders == ["b", "d", "e"]
    db.load("asked", pa.table(asked | {"answer": ["role"]}))
    offenders = _faulty(
        db,
        "answer_is_not_what_the_fact_says",
        {},
        {"answer": ["Neo"]},
        {"subject": "s3", "answer": ["Somebody"]},
        {"subject": "s3", "answer": ["Neo"]},
        {"subject": "s4", "answer": ["Neo"]},
    )
    assert offenders == ["a", "d", "e"]


def test_check_statement_has_ended(db: Warehouse) -> None:
    def stated(subject: str, entity: str, *names: str) -> dict[str, object]:
        qualifiers = [{"name": name, "object": None, "value": "1999"} for name in names]
        return {"predicate": "p", "subject": subject, "object": entity, "kind": "entity", "qualifiers": qualifiers}

    facts = [stated("s1", "o1", "end"), stated("s1", "o2", "start"), stated("s2", "o1", "end"), stated("s2", "o1", "x")]
    db.load("facts", pa.Table.from_pylist(facts, schema=IdSpace.TEXT.fact_schema()))
    asked = {"predicate": ["p"], "inverse": [False], "end_qualifier": ["end"]}
    pairs = ({"objects": ["o1"]}, {"objects": ["o2"]}, {"subject": "s2", "objects": ["o1"]})
    db.load("asked", pa.table(asked))
    assert _faulty(db, "statement_has_ended", *pairs) == ["a"]
    db.load("asked", pa.table(asked | {"end_qualifier": pa.nulls(1, pa.string())}))
    assert _faulty(db, "statement_has_ended", *pairs) == []


def test_every_check_has_a_test() -> None:
    tested = {name.removeprefix("test_check_") for name in globals() if name.startswith("test_check_")}
    assert {f"checks/{name}" for name in tested} == set(check_names())
