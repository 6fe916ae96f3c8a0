"""Figures of the corpus, and how far its sources agree."""

import json
from collections.abc import Callable
from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.corpus import Corpus, Origin
from factmill.corpus_stats import Agreement, Conflict, ShardStats, Total, corpus_stats
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA
from factmill.scoring.exact import normalise_answer
from factmill.warehouse import Warehouse
from tests.conftest import Outcome
from tests.pairs import ORIGIN, scatter, shard_rows

Factmill = Callable[..., Outcome]

SONGS = ShardName("wikidata", "P175")
ARTISTS = ShardName("dbpedia", "dbo:artist")
BASE = ShardName("paq", "base")


def _rows(shard: ShardName, pairs: list[tuple[str, list[str]]], **same: object) -> pa.Table:
    """Return pairs with several answers each, some of them equal."""
    rows = [
        {
            "qa_id": f"{number:032x}",
            "question": question,
            "answer": answer,
            "source": shard.source,
            "predicate": shard.key,
            "kind": "single",
            **same,
        }
        for number, (question, answer) in enumerate(pairs)
    ]
    return pa.Table.from_pylist(rows, schema=PAIR_SCHEMA)


def test_the_figures_of_each_shard_are_counted(home: Home) -> None:
    corpus = Corpus(home)
    pairs = [("who sings hello", ["Adele", "Adele Adkins"]), ("who sings bad", ["MJ"]), ("Who sings bad?", ["MJ"])]
    rows = _rows(SONGS, pairs, kind="multi", licence="CC0-1.0", as_of=date(2026, 11, 1))
    written = corpus.write(SONGS, rows, Origin("run", "2026-11", "t", "CC0-1.0"))
    corpus.write(BASE, _rows(BASE, [("a", ["1"]), ("a", ["1"]), ("a", ["2"]), ("b", ["1"])]), ORIGIN)
    scatter(home, BASE, 2)
    stats = corpus_stats(home)
    songs = next(each for each in stats.shards if each.shard == SONGS)
    (file,) = corpus.latest().files(SONGS)
    assert songs.written is not None
    assert songs == ShardStats(
        shard=SONGS,
        n_pairs=3,
        n_questions=2,
        n_repeated=1,
        mean_answers=4 / 3,
        kinds={"multi": 3},
        licences={"CC0-1.0": 3},
        first_as_of=date(2026, 11, 1),
        last_as_of=date(2026, 11, 1),
        snapshot="2026-11",
        written=songs.written,
        n_files=1,
        n_bytes=file.path.stat().st_size,
    )
    base = next(each for each in stats.shards if each.shard == BASE)
    assert (base.n_pairs, base.n_questions, base.n_repeated, base.n_files) == (4, 2, 1, 2)
    assert (base.licences, base.first_as_of) == ({"none stated": 4}, None)
    assert stats.sources == [Total("paq", 1, 4), Total("wikidata", 1, 3)]
    assert stats.licences == [Total("CC0-1.0", 1, 3), Total("none stated", 1, 4)]
    assert (stats.n_pairs, written.version) == (7, 1)


def test_shards_agree_if_an_answer_is_the_same_but_for_case_punctuation_and_articles(home: Home) -> None:
    corpus = Corpus(home)
    asked = [
        ("who sings hello", ["The Beatles", "Adele"]),
        ("who sings bad", ["MJ"]),
        ("who sings yesterday", ["Beatles, The"]),
        ("only here", ["x"]),
    ]
    corpus.write(SONGS, _rows(SONGS, asked), ORIGIN)
    other = [("who sings hello", ["adele!"]), ("who sings bad", ["Michael  Jackson"]), ("elsewhere", ["x"])]
    corpus.write(ARTISTS, _rows(ARTISTS, other), ORIGIN)
    base = [("Who sings yesterday?", ["Nobody"]), ("who sings yesterday", ["beatles"]), ("who sings bad", ["Weird Al"])]
    corpus.write(BASE, _rows(BASE, base), ORIGIN)
    assert corpus_stats(home, n_conflicts=5).agreements == [
        Agreement(ARTISTS, BASE, 0, 1, [Conflict("who sings bad", ["Michael  Jackson"], ["Weird Al"])]),
        Agreement(ARTISTS, SONGS, 1, 1, [Conflict("who sings bad", ["Michael  Jackson"], ["MJ"])]),
        Agreement(BASE, SONGS, 1, 1, [Conflict("who sings bad", ["Weird Al"], ["MJ"])]),
    ]


def test_a_question_that_a_shard_repeats_is_no_disagreement_of_two(home: Home) -> None:
    Corpus(home).write(BASE, _rows(BASE, [("a", ["1"]), ("a", ["2"])]), ORIGIN)
    assert corpus_stats(home).agreements == []


def test_conflicts_are_shown_in_order_and_counted_whole_however_many_buckets_there_are(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Corpus(home)
    questions = [f"question {n:03}" for n in range(200)]
    corpus.write(SONGS, shard_rows(SONGS, dict.fromkeys(questions, "one")), ORIGIN)
    corpus.write(
        ARTISTS, shard_rows(ARTISTS, dict.fromkeys(questions[:150], "other") | {"question 000": "One."}), ORIGIN
    )
    expected = [Agreement(ARTISTS, SONGS, 1, 149, [Conflict(q, ["other"], ["one"]) for q in questions[1:4]])]
    assert corpus_stats(home, n_conflicts=3).agreements == expected
    monkeypatch.setattr("factmill.corpus_stats._PAIRS_A_BUCKET", 10)
    assert corpus_stats(home, n_conflicts=3).agreements == expected
    assert corpus_stats(home, n_conflicts=0).agreements == [Agreement(ARTISTS, SONGS, 1, 149, [])]


_PIECES = st.sampled_from([*"abthen .,-'\"_–“é²Ⅷ中\t\n\x85\xa0\u3000", "the", "an", " a "])
_ODD = st.lists(_PIECES, max_size=12).map("".join)


@settings(max_examples=20, deadline=None)
@given(st.lists(_ODD | st.text(st.characters(exclude_categories=("Cs", "Cn"))), min_size=50, max_size=200))
def test_the_normal_form_of_an_answer_is_that_of_exact_match(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    texts = [text.lower() for text in texts if "\0" not in text]
    with Warehouse(tmp_path_factory.mktemp("scratch")) as warehouse:
        warehouse.run("normal_answer")
        warehouse.load("texts", pa.table({"number": range(len(texts)), "text": pa.array(texts, pa.string())}))
        found = warehouse.query("select normal_answer(text) as form from texts order by number")
    assert found["form"].to_pylist() == [normalise_answer(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The U.S.A.", "usa"),
        ("A", ""),
        ("an-the", "anthe"),
        ("O'Hara", "ohara"),
        ("1,000", "1000"),
        ("“quoted”", "“quoted”"),
        ("Café  Noir", "café noir"),
        ("the–a", "–"),
        ("the a an The Answer", "answer"),
        ("éa", "éa"),
    ],
)
def test_the_normal_form_is_that_of_paqs_own_examples(
    tmp_path_factory: pytest.TempPathFactory, text: str, form: str
) -> None:
    with Warehouse(tmp_path_factory.mktemp("scratch")) as warehouse:
        warehouse.run("normal_answer")
        warehouse.load("texts", pa.table({"text": [text]}))
        assert warehouse.query("select normal_answer(text) as form from texts")["form"].to_pylist() == [form]
    assert normalise_answer(text) == form


def test_a_corpus_without_pairs_is_refused(home: Home) -> None:
    with pytest.raises(ConfigError, match="the corpus is empty"):
        corpus_stats(home)
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    corpus.drop(SONGS, ORIGIN)
    with pytest.raises(ConfigError, match="the corpus is empty"):
        corpus_stats(home)


def test_the_command_shows_figures_and_conflicts(factmill: Factmill, home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, {"who sings bad": "MJ", "who sings hello": "Adele"}), ORIGIN)
    corpus.write(BASE, _rows(BASE, [("who sings bad", ["Weird Al"])] * 2), ORIGIN)
    out = factmill("corpus", "stats", "--conflicts", "1").out
    assert "paq/base: 1 pair repeats an earlier one in question and answers. Nothing was removed.\n" in out
    assert "who sings bad: Weird Al (paq/base), MJ (wikidata/P175)\n" in out
    assert out.endswith("Next: factmill index\n")
    told = json.loads(factmill("corpus", "stats", "--json").out)
    assert told["sources"] == [
        {"name": "paq", "n_shards": 1, "n_pairs": 2},
        {"name": "wikidata", "n_shards": 1, "n_pairs": 2},
    ]
    assert told["agreements"] == [
        {"one": "paq/base", "other": "wikidata/P175", "n_agreeing": 0, "n_conflicting": 1, "conflicts": []}
    ]
