import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

from factmill.changes import Changes
from factmill.corpus import Corpus
from factmill.errors import CorpusConflict, CorpusError
from factmill.home import Home
from factmill.names import ShardName
from tests.pairs import ORIGIN, shard_rows

SONGS = ShardName("wikidata", "P175")
FILMS = ShardName("dbpedia", "dbo:starring")


def test_a_shard_reads_back_as_it_was_written(home: Home) -> None:
    rows = shard_rows(SONGS, {"who sings hello": "Adele", "who sings bad": "Michael Jackson"})
    written = Corpus(home).write(SONGS, rows, ORIGIN)
    latest = Corpus(home).latest()
    assert latest.rows(SONGS).equals(rows)
    assert latest.shards() == {SONGS: written.digest}
    assert latest.number == written.version


def test_the_same_rows_again_make_no_commit(home: Home) -> None:
    rows = shard_rows(SONGS, {"who sings hello": "Adele"})
    first = Corpus(home).write(SONGS, rows, ORIGIN)
    again = Corpus(home).write(SONGS, rows, ORIGIN)
    assert again.version is None
    assert again.digest == first.digest
    assert Corpus(home).latest().number == first.version


def test_writing_replaces_the_shard_and_counts_what_changed(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, {"a": "1", "b": "2", "c": "3"}), ORIGIN)
    corpus.write(FILMS, shard_rows(FILMS, {"x": "1"}), ORIGIN)
    written = corpus.write(SONGS, shard_rows(SONGS, {"a": "1", "b": "other", "d": "4"}), ORIGIN)
    assert written.changes == Changes(n_added=1, n_changed=1, n_retired=1, n_unchanged=1)
    assert corpus.latest().rows(SONGS)["question"].to_pylist() == sorted_by_id(SONGS, ["a", "b", "d"])
    assert corpus.latest().rows(FILMS).num_rows == 1


def sorted_by_id(shard: ShardName, questions: list[str]) -> list[str]:
    return list(shard_rows(shard, questions)["question"].to_pylist())


def test_a_place_that_moved_is_written_but_is_no_change(home: Home) -> None:
    rows = shard_rows(SONGS, {"a": "1"})
    moved = rows.set_column(rows.schema.get_field_index("places"), "places", pa.array([["0+9"]]))
    corpus = Corpus(home)
    corpus.write(SONGS, rows, ORIGIN)
    written = corpus.write(SONGS, moved.cast(rows.schema), ORIGIN)
    assert written.version is not None
    assert written.changes == Changes(0, 0, 0, 1)


def test_an_emptied_shard_is_gone(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, []), ORIGIN)
    assert corpus.latest().shards() == {}
    assert corpus.latest().rows(SONGS).num_rows == 0


def test_two_homes_give_equal_digests_whatever_the_order_of_rows(tmp_path: Path) -> None:
    rows = shard_rows(SONGS, [f"question {n}" for n in range(3_000)])
    shuffled = pa.concat_tables([rows.slice(2_000), rows.slice(0, 2_000)])
    digests = {
        Corpus(Home.open(tmp_path / str(number), create=True)).write(SONGS, table, ORIGIN).digest
        for number, table in enumerate((rows, shuffled, rows.combine_chunks()))
    }
    assert len(digests) == 1
    assert digests == {"f8c9245f2d24914"}


def test_an_old_version_stays_as_it_was(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    before = corpus.latest()
    corpus.write(SONGS, shard_rows(SONGS, ["b"]), ORIGIN)
    assert before.rows(SONGS)["question"].to_pylist() == ["a"]


def _write_in_a_process(folder: Path, shard: str, question: str) -> int:
    name = ShardName.parse(shard)
    Corpus(Home.open(folder)).write(name, shard_rows(name, [question]), ORIGIN)
    return 1


def test_writers_that_start_together_all_land(home: Home) -> None:
    """Four processes race to create the table and write eight shards, then four write one and the same."""
    shards = [f"wikidata/P{n}" for n in range(1, 9)]
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        done = sum(pool.map(_write_in_a_process, [home.root] * 8, shards, ["q"] * 8))
        same = sum(pool.map(_write_in_a_process, [home.root] * 8, ["wikidata/P99"] * 8, [f"q{n}" for n in range(8)]))
    assert (done, same) == (8, 8)
    latest = Corpus(home).latest()
    assert sorted(map(str, latest.shards())) == sorted([*shards, "wikidata/P99"])
    assert latest.rows(ShardName("wikidata", "P99")).num_rows == 1


def test_a_dropped_shard_is_gone_and_its_history_stays(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a", "b"]), ORIGIN)
    before = corpus.latest()
    assert corpus.drop(SONGS, ORIGIN).changes == Changes(0, 0, 2, 0)
    assert corpus.latest().shards() == {}
    assert before.rows(SONGS).num_rows == 2


def test_errors_of_the_library_are_wrapped_and_can_be_sent_between_processes(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    for file in home.corpus.rglob("*.parquet"):
        file.write_bytes(b"not parquet")
    with pytest.raises(CorpusError, match="cannot read wikidata/P175 from the corpus, a file is damaged"):
        corpus.latest().rows(SONGS)
    assert isinstance(pickle.loads(pickle.dumps(CorpusConflict("x"))), CorpusConflict)


def test_a_damaged_log_says_so(home: Home) -> None:
    Corpus(home).write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    for file in (home.corpus / "_delta_log").iterdir():
        file.write_text("{")
    with pytest.raises(CorpusError, match="cannot open the corpus"):
        Corpus(home).latest()


def test_a_run_that_is_stopped_right_after_its_commit_keeps_its_file(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while Delta commits is raised when the commit is there already."""
    import deltalake

    commit = deltalake.DeltaTable.create_write_transaction

    def commit_and_stop(self: object, *words: object, **named: object) -> None:
        commit(self, *words, **named)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    rows = shard_rows(SONGS, {"a": "1"})
    with monkeypatch.context() as patched:
        patched.setattr(deltalake.DeltaTable, "create_write_transaction", commit_and_stop)
        with pytest.raises(KeyboardInterrupt):
            Corpus(home).write(SONGS, rows, ORIGIN)
    assert Corpus(home).latest().rows(SONGS).equals(rows)
    assert Corpus(home).write(SONGS, rows, ORIGIN).version is None


def test_a_write_that_fails_leaves_no_file(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    import factmill.corpus

    def fail(table: object) -> None:
        raise CorpusError("no")

    monkeypatch.setattr(factmill.corpus, "_add_new_columns", fail)
    with pytest.raises(CorpusError):
        Corpus(home).write(SONGS, shard_rows(SONGS, {"a": "1"}), ORIGIN)
    assert list(home.corpus.rglob("*.parquet")) == []
