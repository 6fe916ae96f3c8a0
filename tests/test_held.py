"""What the corpus holds of a question set, and why answers are wrong."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from factmill.corpus import Corpus
from factmill.evaluate import Causes, Evaluation, Group, evaluate
from factmill.held import held_by_corpus
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import QuestionSet
from factmill.steps import index_corpus
from factmill.warehouse import Warehouse
from tests.pairs import ORIGIN, scatter, shard_rows

BASE, MORE = ShardName("paq", "base"), ShardName("paq", "more")
SINGS = ShardName("wikidata", "P175")

PAIRS = {
    BASE: {"Who wrote Dune?": "The Frank Herbert", "what is the capital of france": "Paris"},
    MORE: {"who wrote emma": "Jane Austen"},
    SINGS: {"who sings hello": "Adele", "who sings skyfall": "Adele", "who sang the town": "Paris"},
}


def _set(**gold: str | Sequence[str]) -> QuestionSet:
    """Return questions, which have _ for spaces, with their gold answers."""
    answers = tuple((one,) if isinstance(one, str) else tuple(one) for one in gold.values())
    return QuestionSet("q.jsonl", "0" * 64, tuple(text.replace("_", " ") for text in gold), answers)


ASKED = _set(
    who_wrote_dune="frank herbert!",
    who_is_from_france="Paris",
    who_is_the_singer_of_hello=["Nobody", "adele"],
    who_sings_hello="Nobody",
    WHO_WROTE_EMMA="Nobody",
    where_is_it="Nowhere",
)


@pytest.fixture
def filled(home: Home) -> Home:
    for shard, answers in PAIRS.items():
        Corpus(home).write(shard, shard_rows(shard, answers), ORIGIN)
    return home


def _held(home: Home, shards: Sequence[ShardName], questions: QuestionSet = ASKED) -> list[list[int]]:
    """Return the numbers of the questions: any answer, an answer of a base, a question of a base."""
    held = held_by_corpus(home, Corpus(home).latest(), shards, questions)
    assert {len(held.answer), len(held.base_answer), len(held.base_question)} == {len(questions)}
    return [np.flatnonzero(one).tolist() for one in (held.answer, held.base_answer, held.base_question)]


def test_answers_are_held_by_any_pair_and_questions_by_an_imported_base(filled: Home) -> None:
    assert _held(filled, [BASE, MORE, SINGS]) == [[0, 1, 2], [0, 1], [0, 4]]


@pytest.mark.parametrize(
    ("shards", "held"),
    [([SINGS], [[1, 2], [], []]), ([BASE], [[0, 1], [0, 1], [0]]), ([MORE, SINGS], [[1, 2], [], [4]])],
)
def test_only_the_shards_that_are_searched_count(filled: Home, shards: list[ShardName], held: list[list[int]]) -> None:
    assert _held(filled, shards) == held


def test_a_set_of_which_nothing_is_held(filled: Home) -> None:
    assert _held(filled, [BASE, MORE, SINGS], _set(what="x", where="y")) == [[], [], []]


def test_only_the_first_answer_of_a_pair_counts(home: Home) -> None:
    rows = shard_rows(SINGS, ["who sings hello"])
    answers = pa.array([["Adele", "Lionel Richie"]], rows.schema.field("answer").type)
    Corpus(home).write(SINGS, rows.set_column(rows.schema.get_field_index("answer"), "answer", answers), ORIGIN)
    assert _held(home, [SINGS], _set(a="Adele", b="Lionel Richie"))[0] == [0]


def test_a_shard_may_be_in_several_files(filled: Home) -> None:
    scatter(filled, SINGS, 3)
    assert _held(filled, [BASE, MORE, SINGS]) == [[0, 1, 2], [0, 1], [0, 4]]


# So much is in the way that only what the first fifty hold is found.
CROWD = {f"who sings the song number {number}": "Nobody" for number in range(60)}


def _evaluated(home: Home, questions: QuestionSet, **shards: dict[str, str]) -> Evaluation:
    for name, answers in shards.items():
        shard = BASE if name == "base" else ShardName("wikidata", name)
        Corpus(home).write(shard, shard_rows(shard, answers), ORIGIN)
    list(index_corpus(home))
    return evaluate(home, questions).evaluation


def test_each_mistake_has_one_cause(home: Home) -> None:
    questions = _set(
        who_sings_hello="Adele",
        who_sings_skyfall="Adele",
        who_sings_the_song_number_seven="Georges Bizet",
        who_sings_nowhere_man="The Beatles",
        who_sang_hello_in_1984="Lionel Richie",
    )
    result = _evaluated(
        home,
        questions,
        P175=CROWD | {"who sings hello": "Adele", "who sang the tune hello": "Lionel Richie"},
        P86={"which composer is behind carmen": "Georges Bizet"},
        P569={"who sings skyfall": "Somebody"},
    )
    assert result.causes == Causes(n_mistakes=3, n_not_held=1, n_not_found=1, n_ranked_below=1)
    assert [(at.k, at.n_right) for at in result.at] == [(1, 2), (5, 3), (50, 3)]


def test_questions_fall_into_three_groups_by_what_the_base_has(home: Home) -> None:
    questions = _set(
        who_wrote_dune="Frank Herbert",
        who_penned_dune="Frank Herbert",
        who_sings_hello="Adele",
        who_wrote_emma="Jane Austen",
    )
    result = _evaluated(
        home,
        questions,
        base={"who wrote dune": "Frank Herbert", "Who wrote Emma?": "Somebody"},
        P175={"who sings hello": "Adele"},
    )
    assert result.overlap == (
        Group("the base asks it", 2, 50.0, 50.0),
        Group("the base only has its answer", 1, 100.0, 100.0),
        Group("neither", 1, 100.0, 100.0),
    )


def test_without_an_imported_base_no_question_overlaps(home: Home) -> None:
    result = _evaluated(home, _set(who_sings_hello="Adele", who_knows="x"), P175={"who sings hello": "Adele"})
    assert result.overlap == (
        Group("the base asks it", 0, 0.0, 0.0),
        Group("the base only has its answer", 0, 0.0, 0.0),
        Group("neither", 2, 50.0, 50.0),
    )


# Of each SQL file: rows in, rows out.


@pytest.fixture
def db(tmp_path: Path) -> Warehouse:
    warehouse = Warehouse(tmp_path)
    warehouse.run("asked_form")
    warehouse.run("normal_answer")
    warehouse.load("base_shards", pa.table({"shard_number": pa.array([1], pa.int32())}))
    return warehouse


def test_an_answer_is_held_in_whatever_form_it_is_written(db: Warehouse) -> None:
    rows = [(0, ["The Beatles", "Wings"]), (1, ["a beatles!"]), (0, ["Queen"]), (1, ["The"]), (0, [])]
    numbers, answers = zip(*rows, strict=True)
    db.load("corpus_rows", pa.table({"shard_number": numbers, "answer": pa.array(answers, pa.list_(pa.string()))}))
    forms = [(0, "beatles"), (1, "queen"), (1, "beatles"), (2, "wings"), (3, ""), (4, "queen")]
    db.load("gold_forms", pa.table(dict(zip(("question", "form"), map(list, zip(*forms, strict=True)), strict=True))))
    db.run("held_answers")
    assert db.rows("held_answers") == [(0, True), (1, True), (3, True), (4, False)]


def test_a_question_is_held_whatever_its_case_and_question_mark(db: Warehouse) -> None:
    asked = ["Who  is it", "who is it?", "who was it", "who is he"]
    db.load("asked_questions", pa.table({"number": range(4), "question": asked}))
    texts = ["Who is it ?", "who was it", "who is he", "Who Is It"]
    db.load("corpus_rows", pa.table({"shard_number": [1, 0, 1, 1], "question": texts}))
    db.run("held_questions")
    assert db.rows("held_questions") == [(1,), (3,)]
