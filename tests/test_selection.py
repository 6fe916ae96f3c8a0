from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from factmill.facts import IdSpace
from factmill.home import Home
from factmill.selection import select_predicates
from factmill.stage import stage_wikidata
from factmill.warehouse import Warehouse
from tests.dumps import fact, name, write_dump


@pytest.fixture
def db(tmp_path: Path) -> Warehouse:
    warehouse = Warehouse(tmp_path)
    warehouse.use_ids(IdSpace.TEXT)
    return warehouse


def _load(
    db: Warehouse,
    rows: Sequence[tuple[object, ...]],
    qualified: dict[str, list[str]] | None = None,
    answers: dict[str, str] | None = None,
) -> None:
    """Load facts (predicate, subject, object, value, qualifiers) and label every entity but `unnamed`."""
    schema = IdSpace.TEXT.fact_schema()
    columns = ["predicate", "subject", "object", "value", "qualifiers"]
    facts = [dict(zip(columns, row, strict=True), kind="entity") for row in rows]
    db.load("facts", pa.Table.from_pylist(facts, schema=schema))
    ids = sorted({str(row[n]) for row in rows for n in (1, 2) if row[n]})
    db.load("entities", pa.table({"id": ids, "label": [None if n == "unnamed" else n for n in ids]}))
    keys = qualified or {}
    qualifiers = pa.array(list(keys.values()), pa.list_(pa.string()))
    variants = pa.array([text.partition("~")[2] or None for text in keys], pa.string())
    predicates = pa.array([text.partition("~")[0] for text in keys], pa.string())
    turned = pa.array([(answers or {}).get(text) for text in keys], pa.string())
    inverse = pa.array([False] * len(keys), pa.bool_())
    arrays = [predicates, variants, qualifiers, turned, inverse]
    db.load("template_keys", pa.table(arrays, ["predicate", "variant", "qualifiers", "answer", "inverse"]))


def test_cardinality_counts_distinct_answers_per_question_key(db: Warehouse) -> None:
    _load(
        db,
        [
            ("cast", "Heat", "Pacino", None, None),
            ("cast", "Heat", "De Niro", None, None),
            ("cast", "Heat", "De Niro", None, None),
            ("cast", "Ronin", "De Niro", None, None),
            ("year", "Heat", None, "1995", None),
        ],
    )
    db.run("predicate_statistics")
    assert db.rows("predicate_statistics") == [
        ("cast", None, 3, 2, 1.5, 2, 1.0),
        ("year", None, 1, 1, 1.0, 1, 1.0),
    ]


def test_a_qualifier_that_the_wording_names_is_part_of_the_question_key(db: Warehouse) -> None:
    def role(text: str) -> list[dict[str, str | None]]:
        return [{"name": "character", "object": None, "value": text}, {"name": "job", "object": None, "value": "actor"}]

    facts = [("cast", "Heat", "Pacino", None, role("Hanna")), ("cast", "Heat", "De Niro", None, role("McCauley"))]
    unnamed = ("cast", "Heat", "Kilmer", None, None)
    _load(db, [*facts, unnamed], {"cast": [], "cast~role": ["character"]})
    db.run("predicate_statistics")
    assert db.rows("predicate_statistics") == [("cast", None, 3, 1, 3.0, 3, 1.0), ("cast", "role", 2, 2, 1.0, 1, 1.0)]


def test_a_qualifier_that_is_the_answer_is_counted_per_subject_and_object(db: Warehouse) -> None:
    def role(text: str, entity: str | None = None) -> list[dict[str, str | None]]:
        value = None if entity else text
        return [{"name": "job", "object": None, "value": "actor"}, {"name": "role", "object": entity, "value": value}]

    facts = [
        ("cast", "Spy", "Sellers", None, role("Mandrake")),
        ("cast", "Spy", "Sellers", None, role("Muffley")),
        ("cast", "Spy", "Scott", None, role("", "unnamed")),
        ("cast", "Spy", "Hayden", None, None),
        ("cast", "Spy", "Wynn", None, [{"name": "job", "object": None, "value": "actor"}]),
    ]
    shards = {"cast~inverse": ["object"], "cast~job": ["job", "object"]}
    _load(db, facts, shards, {"cast~inverse": "role", "cast~job": "role"})
    db.run("predicate_statistics")
    assert db.rows("predicate_statistics") == [
        ("cast", "inverse", 3, 2, 1.5, 2, pytest.approx(2 / 3)),
        ("cast", "job", 3, 2, 1.5, 2, pytest.approx(2 / 3)),
    ]


def test_facts_without_labels_on_both_sides_lower_the_labelled_share(db: Warehouse) -> None:
    _load(db, [("p", "a", "b", None, None), ("p", "c", "unnamed", None, None)])
    db.run("predicate_statistics")
    assert db.rows("predicate_statistics") == [("p", None, 2, 2, 1.0, 1, 0.5)]


def test_a_dropped_predicate_says_why(db: Warehouse) -> None:
    columns = ["predicate", "variant", "n_facts", "n_keys", "mean_answers", "max_answers", "labelled_share"]
    rows = [
        ("few", None, 10, 10, 1.0, 1, 1.0),
        ("many", "role", 90, 10, 9.0, 20, 1.0),
        ("nameless", None, 5, 5, 1.0, 1, 0.0),
    ]
    db.load("predicate_statistics", pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows]))
    db.run("selected_predicates", max_mean_answers=5.0)
    assert [(row[0], row[-1]) for row in db.rows("selected_predicates")] == [
        ("many", "9.0 answers a question on average, the limit is 5.0"),
        ("few", None),
        ("nameless", "no fact has labels on both sides"),
    ]


def test_selection_of_a_staged_dump(home: Home, tmp_path: Path) -> None:
    lines = [name(f"Q{n}", f"thing {n}") for n in range(1, 9)]
    lines += [fact("Q1", "P175", "Q2"), *(fact("Q1", "P106", f"Q{n}") for n in range(2, 9))]
    stage_wikidata(home, write_dump(tmp_path / "d.nt.gz", lines), "en")
    found = [(str(row.shard), row.n_facts, row.has_template, row.reason) for row in select_predicates(home, "wikidata")]
    assert found == [
        ("wikidata/P106", 7, True, "7.0 answers a question on average, the limit is 5.0"),
        ("wikidata/P106~inverse", 7, True, None),
        ("wikidata/P175", 1, True, None),
    ]
