import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from factmill.errors import ConfigError
from factmill.facts import IdSpace
from factmill.home import Home
from factmill.names import ShardName
from factmill.selection import check_anything_left, select_predicates
from factmill.settings import settings
from factmill.stage import stage_wikidata
from factmill.warehouse import Warehouse
from tests.dumps import fact, name, write_dump

DEFAULTS = {
    "max_mean_answers": 5.0,
    "min_labelled_share": 0.0,
    "min_facts": 1,
    "max_ambiguous_share": 1.0,
    "min_repairs": 5,
}
Rows = Sequence[tuple[object, ...]]


@pytest.fixture
def db(tmp_path: Path) -> Warehouse:
    warehouse = Warehouse(tmp_path)
    warehouse.use_ids(IdSpace.TEXT)
    return warehouse


def _load(db: Warehouse, facts: Rows, templates: Rows = (), entities: Rows = (), linked: Sequence[str] = ()) -> None:
    """Load facts (predicate, subject, object, value, qualifiers), templates and what is known about entities.

    Templates are (predicate, variant, qualifiers, answer, inverse), entities (id, label, popularity, sitelinks); every
    entity that is not told of is called by its id, but `unnamed` is not.
    """
    columns = ["predicate", "subject", "object", "value", "qualifiers"]
    rows = [dict(zip(columns, row, strict=True), kind="entity") for row in facts]
    db.load("facts", pa.Table.from_pylist(rows, schema=IdSpace.TEXT.fact_schema()))
    known = {str(row[0]): row for row in entities}
    ids = sorted({str(row[n]) for row in facts for n in (1, 2) if row[n]} | set(known))
    told = [known.get(one, (one, None if one == "unnamed" else one, 2, None)) for one in ids]
    _table(db, "entities", "id label popularity sitelinks", told, "sslll", n_statements=1, in_degree=1)
    keys = "predicate variant qualifiers answer inverse"
    _table(db, "template_keys", keys, templates, ["s", "s", "S", "s", "b"])
    _table(db, "linked_entities", "id", [(one,) for one in linked], "s")
    _table(db, "repairs", "predicate variant n_repairs", [], "ssl")
    db.load("parts", pa.table({"n_parts": [1]}))


TYPES = {"s": pa.string(), "l": pa.int64(), "b": pa.bool_(), "S": pa.list_(pa.string())}


def _table(db: Warehouse, name: str, columns: str, rows: Rows, types: Sequence[str], **constants: int) -> None:
    cells = list(zip(*rows, strict=True)) or [()] * len(columns.split())
    arrays = {c: pa.array(cell, TYPES[t]) for c, cell, t in zip(columns.split(), cells, types, strict=False)}
    arrays |= {c: pa.array([value] * len(rows), pa.int64()) for c, value in constants.items()}
    db.load(name, pa.table(arrays))


def _count(db: Warehouse, *columns: str) -> list[tuple[Any, ...]]:
    """Count all in one bucket; return predicate, variant and these columns."""
    for step in ("candidate_shards", "candidate_facts", "weighed_facts"):
        db.run(step)
    db.execute("create or replace view bucket_facts as from weighed_facts")
    for step in ("bucket_keys", "bucket_subjects", "bucket_figures", "bucket_popularity"):
        db.run(step)
    db.execute("create or replace view all_bucket_figures as from bucket_figures")
    db.execute("create or replace view all_bucket_popularity as from bucket_popularity")
    db.run("predicate_statistics")
    rows = db.query("from predicate_statistics").to_pylist()
    return [tuple(row[column] for column in ("predicate", "variant", *columns)) for row in rows]


KEYS = ("n_facts", "n_keys", "mean_answers", "max_answers")


def test_every_predicate_is_a_candidate_in_each_variant_that_has_a_template(db: Warehouse) -> None:
    facts = [("cast", "Heat", "Pacino", None, None), ("year", "Heat", None, "1995", None)]
    templates = [("cast", None, [], None, False), ("cast", "role", ["role"], None, False), ("x", None, [], None, False)]
    _load(db, facts, templates)
    db.run("candidate_shards")
    assert db.rows("candidate_shards") == [
        (1, "cast", None, [], None, False, 1),
        (2, "cast", "role", ["role"], None, False, 1),
        (3, "year", None, [], None, False, 1),
    ]


def test_what_is_counted_of_each_fact_and_subject_of_a_bucket(db: Warehouse) -> None:
    facts = [("cast", "Heat", "Pacino", None, None), ("cast", "Heat", "unnamed", None, None)]
    _load(db, facts, entities=[("Heat", "Heat", 5, 7), ("unnamed", None, 2, None)], linked=["Heat"])
    _count(db)
    weighed = db.query(
        "select shard, is_labelled, popularity, is_given, sitelinks, is_linked, bucket from weighed_facts"
    )
    told = {"shard": 1, "popularity": 5, "is_given": True, "sitelinks": 7, "is_linked": True}
    assert weighed.to_pylist() == [told | {"is_labelled": labelled, "bucket": 0} for labelled in (True, False)]
    keys = db.query("select shard, n_answers, n_labelled, popularity from bucket_keys").to_pylist()
    assert keys == [{"shard": 1, "n_answers": 2, "n_labelled": 1, "popularity": 5}]
    (subject,) = db.query("select * exclude (subject, name) from bucket_subjects").to_pylist()
    assert subject == told | {"n_keys": 1, "n_facts": 2, "n_labelled": 1, "max_answers": 2}
    assert sorted(db.rows("bucket_popularity")) == [(1, False, 5, 1), (1, True, 7, 1)]


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
    assert _count(db, *KEYS, "labelled_share") == [
        ("cast", None, 3, 2, 1.5, 2, 1.0),
        ("year", None, 1, 1, 1.0, 1, 1.0),
    ]


def _said(**values: str) -> list[dict[str, str | None]]:
    return [{"name": key, "object": None, "value": value} for key, value in values.items()]


def test_a_qualifier_that_the_wording_names_is_part_of_the_question_key(db: Warehouse) -> None:
    facts = [
        ("cast", "Heat", "Pacino", None, _said(character="Hanna", job="actor")),
        ("cast", "Heat", "De Niro", None, _said(character="McCauley", job="actor")),
        ("cast", "Heat", "Kilmer", None, None),
    ]
    _load(db, facts, [("cast", None, [], None, False), ("cast", "role", ["character"], None, False)])
    assert _count(db, *KEYS) == [("cast", None, 3, 1, 3.0, 3), ("cast", "role", 2, 2, 1.0, 1)]


def test_a_statement_that_is_staged_twice_is_one_fact(db: Warehouse) -> None:
    facts = [("cast", "Heat", "Pacino", None, None), ("cast", "Heat", "Pacino", None, _said(character="Hanna"))]
    _load(db, facts)
    assert _count(db, *KEYS) == [("cast", None, 1, 1, 1.0, 1)]


def test_a_qualifier_that_is_the_answer_is_counted_per_subject_and_object(db: Warehouse) -> None:
    facts = [
        ("cast", "Spy", "Sellers", None, _said(job="actor", role="Mandrake")),
        ("cast", "Spy", "Sellers", None, _said(job="actor", role="Muffley")),
        ("cast", "Spy", "Scott", None, [*_said(job="actor"), {"name": "role", "object": "unnamed", "value": None}]),
        ("cast", "Spy", "Hayden", None, None),
        ("cast", "Spy", "Wynn", None, _said(job="actor")),
    ]
    templates = [("cast", "inverse", ["object"], "role", False), ("cast", "job", ["job", "object"], "role", False)]
    _load(db, facts, templates, [("unnamed", None, 1, None)])
    assert _count(db, *KEYS, "labelled_share") == [
        ("cast", "inverse", 3, 2, 1.5, 2, pytest.approx(2 / 3)),
        ("cast", "job", 3, 2, 1.5, 2, pytest.approx(2 / 3)),
    ]


def test_an_inverse_template_asks_for_the_subject(db: Warehouse) -> None:
    facts = [
        ("author", "Emma", "Austen", None, None),
        ("author", "Persuasion", "Austen", None, None),
        ("author", "Beowulf", None, "anonymous", None),
    ]
    _load(db, facts, [("author", "inverse", [], None, True)])
    assert _count(db, *KEYS) == [("author", "inverse", 2, 1, 2.0, 2)]


def test_facts_without_labels_on_both_sides_lower_the_labelled_share(db: Warehouse) -> None:
    _load(db, [("p", "a", "b", None, None), ("p", "c", "unnamed", None, None)])
    assert _count(db, *KEYS, "labelled_share") == [("p", None, 2, 2, 1.0, 1, 0.5)]


def test_the_mean_over_linked_subjects_is_counted_apart(db: Warehouse) -> None:
    facts = [
        ("winner", f"Race {n}", f"Driver {m}", None, None) for n, many in ((1, 1), (2, 2), (3, 30)) for m in range(many)
    ]
    figures = ("mean_answers", "n_linked_subjects", "linked_share", "n_linked_keys", "linked_mean_answers")
    _load(db, facts, linked=["Race 1", "Race 2", "nothing that is staged"])
    assert _count(db, *figures, "linked_max_answers") == [("winner", None, 11.0, 2, pytest.approx(2 / 3), 2, 1.5, 2)]
    _load(db, facts, linked=["nothing that is staged"])
    assert _count(db, *figures, "linked_max_answers") == [("winner", None, 11.0, 0, 0.0, 0, None, None)]
    _load(db, facts)
    assert _count(db, *figures, "linked_max_answers") == [("winner", None, 11.0, None, None, None, None, None)]


def test_subjects_are_ambiguous_among_those_of_the_predicate_whatever_the_case(db: Warehouse) -> None:
    facts = [("by", one, "x", None, None) for one in ("a", "b", "c", "d", "e")]
    facts.append(("of", "a", "x", None, None))
    named = [("a", "Hello", 1, None), ("b", "hello", 1, None), ("c", "Bye", 1, None), ("d", "So", 1, None)]
    _load(db, facts, entities=[*named, ("e", None, 1, None)])
    assert _count(db, "n_subjects", "ambiguous_share") == [("by", None, 5, 0.5), ("of", None, 1, 0.0)]


def test_popularity_is_the_median_of_sitelinks_where_most_subjects_have_some(db: Warehouse) -> None:
    facts = [("p", one, "x", None, None) for one in ("a", "b", "c")]
    facts += [("q", one, "x", None, None) for one in ("a", "c")] + [("r", "given", "x", None, None)]
    known = [("a", "a", 2, 10), ("b", "b", 2, 30), ("c", "c", 2, None), ("given", "given", 5000, None)]
    _load(db, facts, entities=known)
    assert _count(db, "popularity", "popularity_measure") == [
        ("p", None, 10, "sitelinks"),
        ("q", None, 2, "statements"),
        ("r", None, 5000, "source"),
    ]


def test_the_question_keys_with_the_most_answers_are_named(db: Warehouse) -> None:
    said = [{"name": "role", "object": "R", "value": None}]
    facts = [("cast", "H", one, None, said) for one in ("a", "b", "c")]
    facts += [("cast", "I", "a", None, _said(role="Hamlet")), ("cast", "unnamed", "a", None, said)]
    facts += [("cast", "I", "b", None, _said(role="Hamlet"))]
    _load(db, facts, [("cast", "role", ["role"], None, False)], [("H", "Heat", 1, None), ("unnamed", None, 1, None)])
    _count(db)
    db.run("crowded_keys", n_samples=2)
    assert sorted(n for *_, n in db.rows("crowded_keys")) == [2, 3]
    db.execute("create view all_crowded_keys as from crowded_keys")
    db.run("sample_keys", n_samples=2)
    assert db.rows("sample_keys") == [("cast", "role", ["Heat", "R"], 3), ("cast", "role", ["I", "Hamlet"], 2)]


def _decide(db: Warehouse, *rows: dict[str, Any], **thresholds: float) -> dict[str, str | None]:
    """Decide about rows of figures; what they do not say is of a predicate that nothing speaks against."""
    usual: dict[str, Any] = {
        "variant": None,
        "n_facts": 1000,
        "mean_answers": 1.0,
        "labelled_share": 1.0,
        "ambiguous_share": 0.0,
        "n_linked_subjects": None,
        "linked_mean_answers": None,
        "n_repairs": None,
    }
    types = [pa.string(), pa.int64(), *[pa.float64()] * 3, pa.int64(), pa.float64(), pa.int64(), pa.string()]
    schema = pa.schema(list(zip([*usual, "predicate"], types, strict=True)))
    db.load("predicate_statistics", pa.Table.from_pylist([usual | row for row in rows], schema=schema))
    db.run("selected_predicates", **(DEFAULTS | thresholds))
    return {row["predicate"]: row["reason"] for row in db.query("from selected_predicates").to_pylist()}


def test_a_dropped_predicate_says_why(db: Warehouse) -> None:
    assert _decide(
        db,
        {"predicate": "few"},
        {"predicate": "many", "mean_answers": 9.0},
        {"predicate": "nameless", "labelled_share": 0.0},
        {"predicate": "both", "labelled_share": 0.0, "mean_answers": 9.0},
    ) == {
        "few": None,
        "many": "9.0 answers a question on average, the limit is 5.0",
        "nameless": "no fact has labels on both sides",
        "both": "no fact has labels on both sides, and 9.0 answers a question on average, the limit is 5.0",
    }


def test_the_mean_over_linked_subjects_decides_where_there_is_one(db: Warehouse) -> None:
    assert _decide(
        db,
        {"predicate": "winner", "mean_answers": 19.7, "linked_mean_answers": 4.2, "n_linked_subjects": 9},
        {"predicate": "cast", "mean_answers": 4.2, "linked_mean_answers": 19.7, "n_linked_subjects": 9},
        {"predicate": "unasked", "mean_answers": 19.7, "n_linked_subjects": 0},
    ) == {
        "winner": None,
        "cast": "19.7 answers a question on average about linked subjects (4.2 about all), the limit is 5.0",
        "unasked": "19.7 answers a question on average (no subject is linked), the limit is 5.0",
    }


def test_every_threshold_has_its_reason(db: Warehouse) -> None:
    rows: list[dict[str, Any]] = [
        {"predicate": "few", "n_facts": 19},
        {"predicate": "hidden", "labelled_share": 0.2},
        {"predicate": "namesakes", "ambiguous_share": 0.5},
        {"predicate": "helpless", "n_repairs": 4},
        {"predicate": "helpful", "n_repairs": 5},
    ]
    assert _decide(db, *rows, min_facts=1000, min_labelled_share=0.25, max_ambiguous_share=0.4) == {
        "few": "19 facts, the least is 1,000",
        "hidden": "20.0 % of its facts have labels on both sides, the least is 25.0 %",
        "namesakes": "50.0 % of its subjects share their name with another, the limit is 40.0 %",
        "helpless": "it could repair 4 mistakes, the least is 5",
        "helpful": None,
    }
    missed = {row["predicate"]: row["missed"] for row in db.query("from selected_predicates").to_pylist()}
    assert missed == {
        "few": ["min_facts"],
        "hidden": ["min_labelled_share"],
        "namesakes": ["max_ambiguous_share"],
        "helpless": ["min_repairs"],
        "helpful": [],
    }


@pytest.fixture
def staged(home: Home, tmp_path: Path) -> Home:
    lines = [name(f"Q{n}", f"thing {n}") for n in range(1, 9)]
    lines += [fact("Q1", "P175", "Q2"), *(fact("Q1", "P106", f"Q{n}") for n in range(2, 9))]
    stage_wikidata(home, write_dump(tmp_path / "d.nt.gz", lines), "en")
    return home


def test_selection_of_a_staged_dump(staged: Home) -> None:
    rows = select_predicates(staged, "wikidata")
    assert [(str(row.shard), row.n_facts, row.has_template, row.reason) for row in rows] == [
        ("wikidata/P106", 7, True, "7.0 answers a question on average, the limit is 5.0"),
        ("wikidata/P106~inverse", 7, True, None),
        ("wikidata/P175", 1, True, None),
    ]


def test_a_variant_repairs_what_its_predicate_does_unless_something_else_is_told(staged: Home) -> None:
    repairs = {ShardName("wikidata", "P106"): 7, ShardName("wikidata", "P175"): 4}
    rows = select_predicates(staged, "wikidata", repairs=repairs)
    assert [(str(row.shard), row.n_repairs) for row in rows] == [
        ("wikidata/P106", 7),
        ("wikidata/P106~inverse", 7),
        ("wikidata/P175", 4),
    ]
    assert rows[2].reason == "it could repair 4 mistakes, the least is 5"
    repairs[ShardName("wikidata", "P106", "inverse")] = 0
    assert [row.n_repairs for row in select_predicates(staged, "wikidata", {"P106"}, repairs=repairs)] == [7, 0]


def test_the_entities_of_a_question_set_decide(staged: Home) -> None:
    linked = pa.table({"id": pa.array([2], pa.int64()), "n_questions": [1]})
    rows = {str(row.shard): row for row in select_predicates(staged, "wikidata", linked=linked)}
    assert rows["wikidata/P106~inverse"].linked_mean_answers == 1
    assert rows["wikidata/P106"].reason == "7.0 answers a question on average (no subject is linked), the limit is 5.0"


def test_a_full_disk_is_told_in_one_line(small_disk: Path, tmp_path: Path) -> None:
    home = Home.open(small_disk / "home", create=True)
    stage_wikidata(home, write_dump(tmp_path / "d.nt.gz", [name("Q1", "x"), fact("Q1", "P175", "Q1")]), "en")
    (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free))
    with pytest.raises(ConfigError, match="is full"):
        select_predicates(home, "wikidata")


def test_thresholds_that_leave_nothing_are_refused(staged: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTMILL_MIN_FACTS", "100")
    settings.cache_clear()
    rows = select_predicates(staged, "wikidata")
    with pytest.raises(
        ConfigError, match=r"no predicate is left: of 3 that have a template 3 do not meet min_facts\. "
    ):
        check_anything_left(rows)
