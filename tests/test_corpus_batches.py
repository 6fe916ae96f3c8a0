"""Reading a shard in batches: in its order, whatever its files are called and wherever they lie."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from factmill.corpus import Corpus
from factmill.corpus_version import CorpusVersion
from factmill.errors import ConfigError, CorpusError
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA
from factmill.settings import settings
from tests.pairs import ORIGIN, shard_rows

SONGS = ShardName("wikidata", "P175")
STARS = ShardName("dbpedia", "dbo:starring", "inverse")
BASE = ShardName("paq", "base")


def _table(batches: Iterable[pa.RecordBatch]) -> pa.Table:
    return pa.Table.from_batches(batches, PAIR_SCHEMA)


@pytest.mark.parametrize("folder", ["plain", "with space & accént+", "question=1/qa_id=2"])
def test_batches_hold_the_rows_in_order_wherever_the_home_is(tmp_path: Path, folder: str) -> None:
    home = Home.open(tmp_path / folder, create=True)
    rows = {shard: shard_rows(shard, [f"{shard} {n}" for n in range(25)]) for shard in (SONGS, STARS)}
    for shard, table in rows.items():
        Corpus(home).write(shard, table, ORIGIN)
    latest = Corpus(home).latest()
    for shard, table in rows.items():
        batches = list(latest.batches(shard, rows_a_batch=10))
        assert [len(batch) for batch in batches] == [10, 10, 5]
        assert _table(batches).equals(table)
    assert list((home.root / "warehouse").iterdir()) == []


def test_a_base_comes_in_the_order_of_its_file(home: Home) -> None:
    rows = shard_rows(BASE, [f"question {n}" for n in range(50)])
    ordinals = pa.array([(n * 7) % 50 for n in range(50)], pa.int64())
    at = rows.schema.get_field_index("ordinal")
    rows = rows.set_column(at, rows.schema.field(at), ordinals)
    Corpus(home).write(BASE, rows, ORIGIN)
    read = list(Corpus(home).latest().batches(BASE, ("ordinal", "question")))
    assert read[0].schema.names == ["ordinal", "question"]
    assert [n for batch in read for n in batch["ordinal"].to_pylist()] == list(range(50))
    assert _table(Corpus(home).latest().batches(BASE)).equals(rows.sort_by("ordinal"))


def test_rows_come_in_another_order_if_asked_for(home: Home) -> None:
    Corpus(home).write(SONGS, shard_rows(SONGS, ["c", "a", "b"]), ORIGIN)
    read = Corpus(home).latest().batches(SONGS, ("source", "predicate"), by=("question",))
    assert [batch.to_pylist() for batch in read] == [[{"source": "wikidata", "predicate": "P175"}] * 3]


def test_columns_younger_than_the_version_are_null(home: Home) -> None:
    young = ["subject_name", "wikipedia_title"]
    rows = shard_rows(SONGS, ["a", "b"])
    write_deltalake(home.corpus, rows.drop_columns(young), partition_by=["source", "predicate"])
    old = CorpusVersion(DeltaTable(home.corpus))
    read = _table(old.batches(SONGS))
    assert read.drop_columns(young).equals(rows.drop_columns(young))
    assert [read[name].to_pylist() for name in young] == [[None, None], [None, None]]


def test_what_is_not_there_has_no_batches(home: Home) -> None:
    assert list(Corpus(home).latest().batches(SONGS)) == []
    Corpus(home).write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    assert list(Corpus(home).latest().batches(STARS)) == []


def test_a_damaged_file_says_so(home: Home) -> None:
    Corpus(home).write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    latest = Corpus(home).latest()
    (file,) = home.corpus.rglob("*.parquet")
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(CorpusError, match="cannot read wikidata/P175 from the corpus: "):
        list(latest.batches(SONGS))
    file.unlink()
    with pytest.raises(CorpusError, match="1 of 1 files of wikidata/P175 are gone"):
        list(latest.batches(SONGS))


def test_a_shard_larger_than_the_memory_is_sorted_on_the_disk(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 MB of text, where 200 may be used."""
    rows = shard_rows(SONGS, (f"{n:06} {'x' * 1_000}" for n in range(15_000)))
    for _ in range(20):
        write_deltalake(home.corpus, rows, partition_by=["source", "predicate"], mode="append")
    latest = Corpus(home).latest()
    monkeypatch.setenv("FACTMILL_MEMORY_MB", "200")
    settings.cache_clear()
    n_rows, last = 0, ""
    for batch in latest.batches(SONGS, ("qa_id", "question")):
        ids = batch["qa_id"].to_pylist()
        assert [last, *ids] == sorted([last, *ids])
        n_rows, last = n_rows + len(ids), ids[-1]
    assert n_rows == 300_000


def test_memory_that_is_too_small_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred rows of four megabytes: two of them are more than DuckDB may keep."""
    for n in range(10):
        rows = shard_rows(SONGS, (f"{n} {m} {'x' * 4_000_000}" for m in range(10)))
        write_deltalake(home.corpus, rows, partition_by=["source", "predicate"], mode="append")
    latest = Corpus(home).latest()
    monkeypatch.setenv("FACTMILL_MEMORY_MB", "200")
    settings.cache_clear()
    with pytest.raises(ConfigError, match=r"200 MB are too few to sort the pairs\. Raise FACTMILL_MEMORY_MB"):
        list(latest.batches(SONGS))
