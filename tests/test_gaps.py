"""Which staged facts answer the questions that are answered wrongly."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.analysis import sources_to_search
from factmill.corpus import Corpus
from factmill.errors import ConfigError
from factmill.facts import IdSpace
from factmill.gap_tables import predicate_table, step_table
from factmill.gaps import Gap, Gaps, State, Way, _steps, find_gaps, link_subjects
from factmill.home import Home
from factmill.names import ShardName
from factmill.scoring.norm import open_judge
from factmill.stage import stage_dbpedia_files
from factmill.thesis import ThesisGap, thesis_gap
from factmill.warehouse import Warehouse
from tests.gap_stage import gap_home
from tests.pairs import ORIGIN, shard_rows

WRITER = "who wrote heat"


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("gaps")
    return gap_home(Home.open(folder / "home", create=True), folder)


def _gaps(
    home: Home, answers: dict[str, str], right: Sequence[str] = (), sources: Sequence[str] = ("wikidata",)
) -> Gaps:
    asked, gold = list(answers), [(answer,) for answer in answers.values()]
    accepted = open_judge(home).accepted(asked, gold)
    is_right = np.array([question in right for question in asked])
    return find_gaps(home, is_right, accepted, link_subjects(home, sources, asked))


def _found(gaps: Gaps, source: str = "wikidata") -> list[tuple[object, ...]]:
    """Return the matches: question, entity, predicate, direction and path, answer, number of answers, part."""
    keys = ("question", "entity", "predicate", "inverse", "path", "answer", "n_answers", "part")
    return [tuple(row[key] for key in keys) for row in gaps.matches[source].to_pylist()]


@pytest.mark.parametrize(
    ("question", "gold", "found"),
    [
        ("who directed heat", "Michael Mann", ("Q2", "P57", False, "", "Q22", 1, 1)),
        ("which film did michael mann direct", "Heat", ("Q22", "P57", True, "", "Q2", 1, 1)),
        ("who does al pacino play in heat", "Vincent Hanna", ("Q2", "P161", False, "P453", "Q25", 2, 1)),
        ("when was heat released", "December 1995", ("Q2", "P577", False, "", "1995-12-15T00:00:00Z", 1, 3)),
        ("when was heat released", "December 15, 1995", ("Q2", "P577", False, "", "1995-12-15T00:00:00Z", 1, 1)),
        ("when did hello come out", "2015", ("Q1", "P577", False, "", "2015-01-01T00:00:00Z", 1, 1)),
        ("how many episodes does bear valley have", "38 episodes", ("Q3", "P1113", False, "", "+38", 1, 4)),
        ("how many episodes does bear valley have", "38", ("Q3", "P1113", False, "", "+38", 1, 1)),
        ("who sings hello", "Adele Adkins", ("Q1", "P175", False, "", "Q10", 1, 1)),
        ("who starred in heat", "Robert De Niro", ("Q2", "P161", False, "", "Q26", 2, 1)),
    ],
)
def test_a_fact_about_what_a_question_mentions_answers_it(
    staged: Home, question: str, gold: str, found: tuple[object, ...]
) -> None:
    assert _found(_gaps(staged, {question: gold})) == [(0, *found)]


def test_another_name_of_a_person_is_a_looser_match_than_the_name_that_is_asked_for(staged: Home) -> None:
    # The writer goes by the name that the actor was born with.
    assert _found(_gaps(staged, {WRITER: "Al Pacino"})) == [
        (0, "Q2", "P161", False, "", "Q24", 2, 1),
        (0, "Q2", "P2093", False, "", "Alfredo James Pacino", 1, 2),
    ]


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("who knows", "Adele"),
        ("who directed heat", "Adele"),
        ("when was heat released", "1996"),
        ("how many episodes does bear valley have", "39"),
        # Exact match knows accents, and a thing has no other names.
        ("what closes in heat", "Stéel Door"),
        ("which city is hello from", "Malmo"),
    ],
)
def test_what_no_fact_answers_stays_unanswered(staged: Home, question: str, gold: str) -> None:
    gaps = _gaps(staged, {question: gold})
    assert (gaps.rows, gaps.steps, gaps.predicates, gaps.n_answered, gaps.n_mistakes) == ((), (), {}, 0, 1)
    assert gaps.n_linked == {"wikidata": 0 if question == "who knows" else 1}


def test_a_predicate_is_counted_with_its_mistakes_and_what_there_is_of_it(home: Home, tmp_path: Path) -> None:
    gap_home(home, tmp_path)
    asked = {
        "who sings hello": "Adele",
        "who is the singer of hello": "Adele",
        "who directed heat": "Michael Mann",
        "what closes in heat": "Steel Door",
        "who knows": "nobody",
    }
    shard = ShardName("wikidata", "P175")
    Corpus(home).write(shard, shard_rows(shard, {"who sings hello": "Adele"}), ORIGIN)
    gaps = _gaps(home, asked, right=["who sings hello"])
    assert gaps.rows == (
        Gap(Way("wikidata", "P175"), "performer", 2, 1, 50.0, 1.0, State.MILLED, (shard,)),
        Gap(Way("wikidata", "P57"), "director", 1, 1, 0.0, 1.0, State.TEMPLATE, (ShardName("wikidata", "P57"),)),
        Gap(Way("wikidata", "P9999"), "", 1, 1, 0.0, 1.0, State.NOTHING, ()),
    )
    assert [(str(step.way), step.n_mended, step.n_mended_so_far, step.advice) for step in gaps.steps] == [
        ("wikidata/P175", 1, 1, "it is milled: add a wording (see the clusters), or the ranking is at fault"),
        ("wikidata/P57", 1, 2, "factmill augment wikidata/P57"),
        ("wikidata/P9999", 1, 3, "write a template (docs/templates.md)"),
    ]
    assert gaps.predicates == {1: shard, 2: ShardName("wikidata", "P57"), 3: ShardName("wikidata", "P9999")}
    assert (gaps.n_linked, gaps.n_answered, gaps.n_mistakes, gaps.n_mendable) == ({"wikidata": 4}, 4, 4, 3)


def test_a_mistake_that_two_predicates_could_mend_is_counted_for_one(staged: Home) -> None:
    gaps = _gaps(staged, {WRITER: "Al Pacino", "who starred in heat": "Robert De Niro"})
    assert [(row.way.predicate, row.n_mistakes, row.cardinality) for row in gaps.rows] == [
        ("P161", 2, 2.0),
        ("P2093", 1, 1.0),
    ]
    assert [(step.way.predicate, step.n_mended, step.numbers) for step in gaps.steps] == [("P161", 2, (0, 1))]


MISTAKES = st.dictionaries(st.sampled_from("abcdef"), st.sets(st.integers(0, 12)), max_size=6)


@given(MISTAKES)
def test_the_steps_share_all_mistakes_out_the_most_first(mistakes: dict[str, set[int]]) -> None:
    found = {Way("imdb", letter): numbers for letter, numbers in mistakes.items()}
    rows = [Gap(way, "", 0, len(n), 0.0, 1.0, State.NOTHING, ()) for way, n in found.items()]
    steps = _steps(rows, found)
    told = [number for step in steps for number in step.numbers]
    assert sorted(told) == sorted(set().union(*mistakes.values()))
    assert [step.n_mended_so_far for step in steps] == np.cumsum([step.n_mended for step in steps]).tolist()
    mended: set[int] = set()
    for step in steps:
        assert set(step.numbers) == found[step.way] - mended
        assert step.n_mended == max(len(numbers - mended) for numbers in found.values())
        mended |= set(step.numbers)


def test_an_inverse_without_a_template_names_the_shard_that_one_would_fill() -> None:
    assert str(Way("wikidata", "P9999", inverse=True).new_shard) == "wikidata/P9999~inverse"


def test_each_source_is_looked_in_on_its_own(home: Home, tmp_path: Path) -> None:
    gap_home(home, tmp_path)
    resource, ontology = "http://dbpedia.org/resource", "http://dbpedia.org/ontology"
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    facts, labels = tmp_path / "facts.nt", tmp_path / "labels.nt"
    facts.write_text(f"<{resource}/Hello> <{ontology}/artist> <{resource}/Adele> .\n")
    labels.write_text("".join(f'<{resource}/{one}> <{label}> "{one}"@en .\n' for one in ("Hello", "Adele")))
    stage_dbpedia_files(home, [facts, labels], [ShardName("dbpedia", "dbo:artist")], "en")
    asked = {"who sings hello": "Adele", "who directed heat": "Michael Mann"}
    both = _gaps(home, asked, sources=sources_to_search(home))
    assert [str(row.way) for row in both.rows] == ["dbpedia/dbo:artist", "wikidata/P175", "wikidata/P57"]
    assert both.n_linked == {"dbpedia": 1, "wikidata": 2}
    assert _found(both, "dbpedia") == [(0, "dbr:Hello", "dbo:artist", False, "", "dbr:Adele", 1, 1)]
    one = _gaps(home, asked, sources=sources_to_search(home, ["dbpedia", "dbpedia"]))
    assert [str(row.way) for row in one.rows] == ["dbpedia/dbo:artist"]


def test_a_source_that_is_not_staged_is_named(staged: Home, home: Home) -> None:
    with pytest.raises(ConfigError, match=r"^nothing is staged from imdb. There is: wikidata.$"):
        sources_to_search(staged, ["wikidata", "imdb"])
    with pytest.raises(ConfigError, match=r"^nothing is staged from wikidata. There is: nothing.$"):
        sources_to_search(home, ["wikidata"])
    with pytest.raises(ConfigError, match=r"so there are no facts to look in. Run `factmill stage …`.$"):
        sources_to_search(home)


def test_the_figures_of_the_thesis_stand_beside_ours_where_it_has_some(staged: Home) -> None:
    gaps = _gaps(staged, {"who sings hello": "Adele", "what closes in heat": "Steel Door"})
    ours = [
        ("wikidata/P175", "performer", 1, 1, 0.0, 1.0, "has a template"),
        ("wikidata/P9999", "", 1, 1, 0.0, 1.0, "no template"),
    ]
    nothing = (None,) * 4
    table = predicate_table("nq_dev.jsonl", gaps, 5)
    assert table.columns[7:] == ("thesis: questions", "mistakes (thesis)", "EM (thesis)", "answers (thesis)")
    assert table.rows == ((*ours[0], 306, 45, 85.29, 2.4), (*ours[1], *nothing))
    assert (len(table.columns), predicate_table("webq.jsonl", gaps, 5).rows) == (11, tuple(ours))
    assert step_table(gaps, ["who sings hello", "what closes in heat"]).rows[0] == (
        "wikidata/P175", "performer", 1, 1, "factmill augment wikidata/P175", "who sings hello",
    )  # fmt: skip


def test_the_thesis_says_nothing_of_the_other_direction_or_of_other_sets(staged: Home) -> None:
    found = ThesisGap(306, 45, 85.29, 2.4)
    assert [thesis_gap(name, "wikidata", "Performer") for name in ("nq.jsonl", "NQ_dev", "popqa.tsv")] == [
        found,
        found,
        None,
    ]
    assert thesis_gap("nq_dev", "wikidata", "performer") != thesis_gap("triviaqa.json", "wikidata", "performer")
    assert (thesis_gap("nq_dev", "imdb", "performer"), thesis_gap("nq_dev", "wikidata", "")) == (None, None)
    gaps = _gaps(staged, {"who directed heat": "Michael Mann"})
    turned = replace(gaps, rows=(replace(gaps.rows[0], way=Way("wikidata", "P175", inverse=True), label="performer"),))
    assert len(predicate_table("nq_dev", turned, 5).columns) == 7


# Of each SQL file: rows in, rows out.


@pytest.fixture
def db(tmp_path: Path) -> Warehouse:
    warehouse = Warehouse(tmp_path)
    warehouse.use_ids(IdSpace.TEXT)
    warehouse.run("normal_answer")
    return warehouse


def _load(db: Warehouse, name: str, columns: str, *rows: Sequence[Any]) -> None:
    cells = list(zip(*rows, strict=True)) or [()] * len(columns.split())
    db.load(name, pa.table({column: list(values) for column, values in zip(columns.split(), cells, strict=True)}))


def _fact(
    subject: str, predicate: str, answer: str, kind: str = "entity", *qualifiers: tuple[str | None, ...]
) -> dict[str, Any]:
    is_entity = kind == "entity"
    return {
        "subject": subject,
        "predicate": predicate,
        "object": answer if is_entity else None,
        "value": None if is_entity else answer,
        "kind": kind,
        "qualifiers": [dict(zip(("name", "object", "value"), one, strict=True)) for one in qualifiers] or None,
    }


def test_facts_count_forwards_backwards_and_by_their_qualifiers_each_answer_once(db: Warehouse) -> None:
    facts = [
        _fact("heat", "cast", "pacino"),
        _fact("heat", "cast", "pacino", "entity", ("role", "hanna", None), ("order", None, "1")),
        _fact("heat", "cast", "deniro"),
        _fact("heat", "year", "1995", "date"),
        _fact("ronin", "cast", "deniro"),
        _fact("ronin", "year", "1998", "date"),
    ]
    db.load("facts", pa.Table.from_pylist(facts, schema=IdSpace.TEXT.fact_schema()))
    _load(db, "linked", "id", ["heat"], ["deniro"])
    db.run("gap_facts")
    assert sorted(db.rows("gap_facts"), key=str) == [
        ("deniro", "cast", True, "", "heat", None, "entity", 2),
        ("deniro", "cast", True, "", "ronin", None, "entity", 2),
        ("heat", "cast", False, "", "deniro", None, "entity", 2),
        ("heat", "cast", False, "", "pacino", None, "entity", 2),
        ("heat", "cast", False, "order", None, "1", "qualifier", 1),
        ("heat", "cast", False, "role", "hanna", None, "qualifier", 1),
        ("heat", "year", False, "", None, "1995", "date", 1),
    ]


FACTS = "entity predicate inverse path answer value kind n_answers"


def test_values_are_those_of_facts_that_have_one(db: Warehouse) -> None:
    _load(
        db,
        "gap_facts",
        FACTS,
        ("heat", "cast", False, "", "pacino", None, "entity", 1),
        ("heat", "year", False, "", None, "1995", "date", 1),
        ("ronin", "year", False, "", None, "1995", "date", 1),
        ("ronin", "cast", False, "order", None, "1995", "qualifier", 1),
    )
    db.run("gap_values")
    assert sorted(db.rows("gap_values")) == [("date", "1995"), ("qualifier", "1995")]


def test_names_are_labels_and_aliases_that_somebody_accepts_with_accents_or_bare(db: Warehouse) -> None:
    _load(db, "gap_facts", FACTS, *((one, "p", False, "", one, None, "entity", 1) for one in ("celine", "cafe")))
    _load(
        db,
        "entities",
        "id label aliases",
        ("celine", "Céline Dion", ["Céline", "The Dion"]),
        ("cafe", None, ["Café Noir"]),
        ("other", "Céline Dion", ["Dion"]),
    )
    forms = [("céline dion", False), ("dion", False), ("celine", True), ("cafe noir", False), ("celine", False)]
    _load(db, "accepted_forms", "question form is_bare part", *((0, *form, 1) for form in forms))
    db.run("gap_names")
    assert sorted(db.rows("gap_names")) == [
        ("celine", "celine", True),
        ("celine", "céline dion", False),
        ("celine", "dion", False),
    ]


def test_what_only_code_can_compare_are_the_values_that_a_question_is_near(db: Warehouse) -> None:
    _load(db, "asked", "question place id", (0, 0, "heat"), (1, 0, "heat"), (1, 1, "ronin"))
    _load(db, "judged_questions", "question", [1])
    _load(
        db,
        "gap_facts",
        FACTS,
        ("heat", "year", False, "", None, "1995", "date", 1),
        ("ronin", "year", False, "", None, "1998", "date", 1),
        ("ronin", "start", False, "", None, "1998", "date", 1),
        ("ronin", "cast", False, "", "deniro", None, "entity", 1),
        ("other", "year", False, "", None, "1990", "date", 1),
    )
    db.run("judged_pairs")
    assert db.rows("judged_pairs") == [(1, "date", "1995"), (1, "date", "1998")]


def test_of_several_matches_of_a_predicate_the_likeliest_and_strictest_is_told(db: Warehouse) -> None:
    _load(db, "asked", "question place id", (0, 0, "heat"), (0, 1, "ronin"), (1, 0, "ronin"), (2, 0, "heat"))
    _load(
        db,
        "gap_facts",
        FACTS,
        ("heat", "cast", False, "", "pacino", None, "entity", 2),
        ("heat", "cast", False, "", "deniro", None, "entity", 2),
        ("ronin", "cast", False, "", "deniro", None, "entity", 1),
        ("heat", "year", False, "", None, "1995", "date", 1),
        ("ronin", "year", False, "", None, "1998", "date", 1),
    )
    _load(db, "gap_names", "id form is_bare", ("pacino", "al", True), ("deniro", "bob", False), ("deniro", "bob", True))
    _load(db, "value_forms", "kind value form", ("date", "1995", "1995"), ("date", "1998", "1998"))
    _load(
        db,
        "accepted_forms",
        "question form is_bare part",
        (0, "al", True, 2),
        (0, "bob", False, 1),
        (0, "bob", True, 2),
        (0, "1998", False, 1),
        # Its name would be right without accents only.
        (1, "al", False, 1),
    )
    _load(db, "accepted_values", "question kind value part", (1, "date", "1998", 3), (2, "date", "1998", 3))
    _load(db, "entities", "id label", ("heat", "Heat"), ("deniro", "Robert De Niro"), ("ronin", None))
    db.run("gap_matches")
    assert db.rows("gap_matches") == [
        (0, 0, "heat", "Heat", "cast", False, "", "deniro", "Robert De Niro", 2, 1),
        (0, 1, "ronin", None, "year", False, "", "1998", "1998", 1, 1),
        (1, 0, "ronin", None, "year", False, "", "1998", "1998", 1, 3),
    ]
