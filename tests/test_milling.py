import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pytest

from factmill.facts import IdSpace
from factmill.home import Home
from factmill.mill import Milled, mill
from factmill.rejects import Rejects
from factmill.stage import stage_wikidata
from factmill.templates import read_template
from factmill.warehouse import Warehouse, check_names, statement
from tests.dumps import SONGS, date, fact, name, write_dump

Mill = Callable[..., tuple[Milled, dict[str, int]]]


@pytest.fixture
def milled(home: Home, tmp_path: Path) -> Mill:
    """Stage lines and mill them with wordings."""

    def run(
        lines: list[str], *wordings: str, predicate: str = "P175", extra: str = ""
    ) -> tuple[Milled, dict[str, int]]:
        stage = stage_wikidata(home, write_dump(tmp_path / "d.nt.gz", lines, members=1), "en").stage
        file = tmp_path / f"{predicate}_t.j2"
        matter = f'predicate = "wikidata/{predicate}"\nlabel = "x"\n{extra}'
        file.write_text(f"+++\n{matter}\n+++\n" + "\n".join(wordings or ("who sings {{ subject }}",)))
        with home.scratch() as scratch, Rejects.of_run(home, "test") as rejects:
            return mill(stage, read_template(file), rejects, scratch), dict(rejects.counts)

    return run


def _answers(result: Milled) -> dict[str, list[str]]:
    return {row["question"]: row["answer"] for row in result.pairs.to_pylist()}


def test_a_fact_becomes_a_pair_with_its_evidence(milled: Mill, tmp_path: Path) -> None:
    result, _ = milled([name("Q1", "Skyfall"), name("Q10", "Adele"), fact("Q1", "P175", "Q10")])
    (row,) = result.pairs.to_pylist()
    assert row == {
        "qa_id": hashlib.sha256(b"wikidata/P175\x1fwho sings {{ subject }}\x1fQ1").hexdigest()[:32],
        "ordinal": None,
        "question": "who sings skyfall",
        "answer": ["Adele"],
        "source": "wikidata",
        "predicate": "P175",
        "template": f"{tmp_path.name}/P175_t",
        "wording": "who sings {{ subject }}",
        "subject": "Q1",
        "subject_label": "Skyfall",
        "objects": ["Q10"],
        "kind": "single",
        "popularity": 1,
        "licence": "CC0-1.0",
        "as_of": None,
        "places": [f"0+{len(name('Q1', 'Skyfall')) + len(name('Q10', 'Adele')) + 2}"],
        "wikipedia_title": None,
        "views": 0,
    }


def test_two_subjects_of_one_name_are_merged_the_better_known_first(milled: Mill) -> None:
    result, refused = milled(SONGS)
    assert _answers(result) == {"who sings hello": ["Adele", "Lionel Richie"]}
    (row,) = result.pairs.to_pylist()
    assert (row["subject"], row["objects"], result.n_merged) == ("Q1", ["Q10", "Q11"], 1)
    assert refused == {
        "the object has no label": 1,
        "the subject has no label": 1,
        "answer stands in the question": 1,
    }


def test_every_fact_is_asked_merged_or_refused(milled: Mill) -> None:
    result, refused = milled(SONGS)
    assert result.n_facts == 5
    facts_behind_pairs = sum(len(row["objects"]) for row in result.pairs.to_pylist())
    assert facts_behind_pairs + sum(refused.values()) == result.n_facts


def test_the_best_known_object_comes_first_and_other_forms_last(milled: Mill) -> None:
    lines = [name("Q1", "Titanic"), date("Q1", "P577", "1997-12-19"), date("Q1", "P577", "1998-01-01")]
    result, _ = milled(lines, "when was {{ subject }} released", predicate="P577")
    assert _answers(result) == {
        "when was titanic released": ["December 19, 1997", "1998", "19 December 1997"],
    }
    crowd = [name(f"Q{n}", f"Person {n}") for n in (2, 3)] + [name("Q1", "Heat"), fact("Q9", "P1", "Q3")]
    result, _ = milled([*crowd, fact("Q1", "P175", "Q2"), fact("Q1", "P175", "Q3")])
    assert _answers(result) == {"who sings heat": ["Person 3", "Person 2"]}


def test_subject_types_include_subclasses_and_survive_cycles(milled: Mill) -> None:
    lines = [*SONGS, fact("Q2188189", "P279", "Q7366"), name("Q6", "Heat"), fact("Q6", "P175", "Q11")]
    result, refused = milled(lines, extra='subject_types = ["Q2188189"]')
    assert _answers(result) == {"who sings hello": ["Adele", "Lionel Richie"]}
    assert refused["the subject is of another type"] == 3


def test_several_wordings_give_several_pairs_with_ids_of_their_own(milled: Mill) -> None:
    lines = [name("Q1", "Skyfall"), name("Q10", "Adele"), fact("Q1", "P175", "Q10")]
    result, _ = milled(lines, "who sings {{ subject }}", "who performed {{ subject }}")
    ids = result.pairs["qa_id"].to_pylist()
    assert len(set(ids)) == 2
    assert ids == sorted(ids)


def test_an_id_is_stable_when_only_the_answer_changes(milled: Mill) -> None:
    base = [name("Q1", "Skyfall"), name("Q10", "Adele"), name("Q11", "Lionel Richie")]
    before, _ = milled([*base, fact("Q1", "P175", "Q10")])
    after, _ = milled([*base, fact("Q1", "P175", "Q11")])
    assert before.pairs["qa_id"] == after.pairs["qa_id"]
    assert before.pairs["answer"] != after.pairs["answer"]


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
    assert set(_answers(result)) == {
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


@pytest.fixture
def db(tmp_path: Path) -> Warehouse:
    warehouse = Warehouse(tmp_path)
    warehouse.use_ids(IdSpace.TEXT)
    return warehouse


def _faulty(db: Warehouse, check: str, *pairs: Mapping[str, object]) -> list[str]:
    """Run one check over pairs that are `a`, `b`, `c` … and return the offenders."""
    good = {"question": "who sings hello", "answer": ["Adele"], "subject": "s1", "subject_form": "hello"}
    good["objects"] = ["Q42", "nm0000102"]
    rows = [good | dict(pair) | {"qa_id": chr(ord("a") + number)} for number, pair in enumerate(pairs)]
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
    facts = [
        {"predicate": "p", "subject": "s1", "object": "o1", "kind": "entity"},
        {"predicate": "other", "subject": "s1", "object": "o2", "kind": "entity"},
        {"predicate": "p", "subject": "s2", "value": "1995-01-01", "kind": "date"},
    ]
    db.load("facts", pa.Table.from_pylist(facts, schema=IdSpace.TEXT.fact_schema()))
    db.load("entities", pa.table({"id": ["o1", "o2"], "label": ["Adele", "Somebody"]}))
    db.load("asked", pa.table({"predicate": ["p"]}))
    db.load("answer_forms", pa.table({"kind": ["date"], "value": ["1995-01-01"], "forms": [["1995"]]}))
    offenders = _faulty(
        db,
        "answer_is_not_what_the_fact_says",
        {},
        {"answer": ["Somebody"]},
        {"subject": "s2", "answer": ["1995"]},
        {"subject": "s2", "answer": ["Adele"]},
    )
    assert offenders == ["b", "d"]


def test_every_check_has_a_test() -> None:
    tested = {name.removeprefix("test_check_") for name in globals() if name.startswith("test_check_")}
    assert {f"checks/{name}" for name in tested} == set(check_names())
