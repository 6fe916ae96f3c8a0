"""Compaction and vacuum: fewer files, the same pairs, and nobody loses anything."""

import json
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from deltalake import CommitProperties, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError

from factmill.changes import Changes
from factmill.corpus import Corpus
from factmill.corpus_log import read_log
from factmill.delta import shard_predicate
from factmill.errors import ConfigError, CorpusConflict, CorpusError
from factmill.history import diff_versions
from factmill.home import Home
from factmill.names import ShardName
from factmill.upkeep import Compacted, compact, compact_from, open_table, plan_vacuum, vacuum
from tests.conftest import Outcome
from tests.pairs import ORIGIN, scatter, shard_rows

Factmill = Callable[..., Outcome]

SONGS = ShardName("wikidata", "P175")
FILMS = ShardName("dbpedia", "dbo:starring", "inverse")
QUESTIONS = [f"question {n}" for n in range(40)]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home whose path Delta percent-encodes."""
    return Home.open(tmp_path / "mein Ordner é", create=True)


@pytest.mark.parametrize("shard", [SONGS, FILMS], ids=str)
def test_many_small_files_become_one_and_nothing_else_changes(home: Home, shard: ShardName) -> None:
    corpus = Corpus(home)
    rows = shard_rows(shard, QUESTIONS)
    written = corpus.write(shard, rows, ORIGIN)
    scatter(home, shard, 8)
    before = corpus.latest()
    assert list(compact(home)) == [Compacted(shard, (before.number or 0) + 1, 8, 1)]
    latest = corpus.latest()
    assert (latest.shards(), len(latest.files(shard))) == ({shard: written.digest}, 1)
    assert latest.rows(shard).equals(rows)
    assert diff_versions(home).shards == []
    # The version before keeps its files, and the same rows again are no news.
    assert before.rows(shard).equals(rows)
    assert corpus.write(shard, rows, ORIGIN).version is None
    entry = read_log(home, shard)[0]
    assert (entry.operation, entry.detail, entry.changes) == ("compact", "8 files became 1", None)


def test_a_compaction_with_nothing_to_do_makes_no_commit(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, QUESTIONS), ORIGIN)
    scatter(home, SONGS, 3)
    assert len(list(compact(home))) == 1
    number = corpus.latest().number
    assert list(compact(home)) == [Compacted(SONGS, None, 1, 1)]
    assert corpus.latest().number == number


def test_files_become_about_as_large_as_asked_for(home: Home) -> None:
    corpus = Corpus(home)
    rows = shard_rows(SONGS, [f"what is the answer to question number {n}" for n in range(20_000)])
    corpus.write(SONGS, rows, ORIGIN)
    scatter(home, SONGS, 40)
    (result,) = compact(home, file_bytes=300_000)
    assert 2 <= result.n_files_after <= 10
    assert corpus.latest().rows(SONGS).equals(rows)
    assert next(iter(compact(home, file_bytes=300_000))).version is None


def test_only_named_shards_are_compacted(home: Home) -> None:
    corpus = Corpus(home)
    for shard in (SONGS, FILMS):
        corpus.write(shard, shard_rows(shard, QUESTIONS), ORIGIN)
        scatter(home, shard, 2)
    assert [each.shard for each in compact(home, [FILMS])] == [FILMS]
    assert len(corpus.latest().files(SONGS)) == 2
    with pytest.raises(ConfigError, match="wikidata/P1 is not in the corpus"):
        list(compact(home, [ShardName("wikidata", "P1")]))


def test_a_write_that_comes_before_a_compaction_ends_wins(home: Home) -> None:
    """The compaction has opened the corpus, then the shard is written: what was written must stay."""
    corpus = Corpus(home)
    corpus.write(FILMS, shard_rows(FILMS, QUESTIONS), ORIGIN)
    scatter(home, FILMS, 4)
    opened = open_table(home)
    newer = shard_rows(FILMS, [*QUESTIONS, "one more"])
    corpus.write(FILMS, newer, ORIGIN)
    with pytest.raises(CorpusConflict):
        compact_from(opened, FILMS)
    assert corpus.latest().rows(FILMS).equals(newer)


def test_a_compaction_that_comes_before_a_write_ends_makes_it_look_anew(home: Home) -> None:
    """A writer and a second compaction have opened the corpus, then the first compaction lands: both are refused."""
    corpus = Corpus(home)
    rows = shard_rows(FILMS, QUESTIONS)
    corpus.write(FILMS, rows, ORIGIN)
    scatter(home, FILMS, 4)
    first, second, writer = open_table(home), open_table(home), open_table(home)
    assert compact_from(first, FILMS).n_files_after == 1
    with pytest.raises(CorpusConflict):
        compact_from(second, FILMS)
    with pytest.raises(CommitFailedError):
        write_deltalake(
            writer,
            shard_rows(FILMS, ["other"]),
            mode="overwrite",
            predicate=shard_predicate(FILMS),
            commit_properties=CommitProperties(app_transactions=[Transaction(str(FILMS), 1)]),
        )
    assert corpus.latest().rows(FILMS).equals(rows)


def test_a_write_of_another_shard_does_not_disturb_a_compaction(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(FILMS, shard_rows(FILMS, QUESTIONS), ORIGIN)
    scatter(home, FILMS, 4)
    opened = open_table(home)
    corpus.write(SONGS, shard_rows(SONGS, QUESTIONS), ORIGIN)
    assert compact_from(opened, FILMS).n_files_after == 1
    assert corpus.latest().rows(SONGS).num_rows == corpus.latest().rows(FILMS).num_rows == len(QUESTIONS)


def _write_often(folder: Path, shard: str, n: int) -> None:
    home, name = Home.open(folder), ShardName.parse(shard)
    for number in range(n):
        Corpus(home).write(name, shard_rows(name, [*QUESTIONS, f"round {number}"]), ORIGIN)


def _compact_often(folder: Path, seconds: float) -> int:
    home, end, n = Home.open(folder), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        n += sum(each.version is not None for each in compact(home))
    return n


def test_writers_and_a_compaction_at_the_same_time_lose_nothing(home: Home) -> None:
    corpus = Corpus(home)
    for shard in (SONGS, FILMS):
        corpus.write(shard, shard_rows(shard, QUESTIONS), ORIGIN)
        scatter(home, shard, 6)
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as pool:
        writers = [pool.submit(_write_often, home.root, str(shard), 5) for shard in (SONGS, FILMS)]
        compacted = pool.submit(_compact_often, home.root, 1.5)
        for writer in writers:
            writer.result()
        compacted.result()
    latest = corpus.latest()
    for shard in (SONGS, FILMS):
        assert latest.rows(shard).equals(shard_rows(shard, [*QUESTIONS, "round 4"]))
        assert latest.digest(shard) == next(e.digest for e in read_log(home, shard) if e.operation == "write")
        writes = [entry.changes for entry in read_log(home, shard) if entry.changes]
        assert writes == [Changes(1, 0, 1, 40)] * 4 + [Changes(1, 0, 0, 40), Changes(40, 0, 0, 0)]


def _three_versions(home: Home) -> Corpus:
    corpus = Corpus(home)
    for questions in (["a"], ["a", "b"], ["a", "b", "c"]):
        corpus.write(FILMS, shard_rows(FILMS, questions), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, ["s"]), ORIGIN)
    return corpus


def test_a_vacuum_deletes_what_only_old_versions_need(home: Home) -> None:
    corpus = _three_versions(home)
    doomed = [corpus.at(version).files(FILMS)[0].path for version in (1, 2)]
    n_bytes = sum(path.stat().st_size for path in doomed)
    plan = plan_vacuum(home, keep_versions=2)
    assert (plan.kept, plan.lost, plan.n_uncommitted) == ([3, 4], [1, 2], 0)
    assert ([file.path for file in plan.files], plan.n_bytes) == (sorted(doomed), n_bytes)
    assert all(path.exists() for path in doomed)
    assert vacuum(home, plan) == 5
    assert not any(path.exists() for path in doomed)
    latest = corpus.latest()
    assert latest.rows(FILMS).equals(shard_rows(FILMS, ["a", "b", "c"]))
    assert latest.rows(SONGS).equals(shard_rows(SONGS, ["s"]))
    assert latest.shards() == corpus.at(4).shards()
    assert corpus.at(3).rows(FILMS).num_rows == 3
    log = read_log(home)
    assert [entry.is_readable for entry in log] == [True, True, True, False, False, True]
    assert (log[0].operation, log[0].detail) == ("vacuum", "files deleted: 2, 0.0 MB")
    with pytest.raises(CorpusError, match="version 2 of the corpus cannot be read any more"):
        diff_versions(home, 2)
    assert diff_versions(home, 3, 4).total == Changes(1, 0, 0, 3)


def test_a_vacuum_with_nothing_to_delete_makes_no_commit(home: Home) -> None:
    corpus = _three_versions(home)
    vacuum(home, plan_vacuum(home, keep_versions=1))
    number = corpus.latest().number
    plan = plan_vacuum(home, keep_versions=1)
    assert (plan.files, plan.lost, vacuum(home, plan)) == ([], [], None)
    assert corpus.latest().number == number


def test_days_count_from_when_a_version_was_replaced(home: Home) -> None:
    """Version 1 was the latest until version 2 came, just now; so a day keeps it, and in two days it does not."""
    _three_versions(home)
    assert plan_vacuum(home, keep_days=1).files == []
    assert plan_vacuum(home).files == []
    later = plan_vacuum(home, keep_days=1, now=datetime.now(UTC) + timedelta(days=2))
    assert (later.kept, later.lost, len(later.files)) == ([4], [1, 2], 2)


def test_files_that_no_version_has_are_deleted_only_when_they_are_a_day_old(home: Home) -> None:
    """A running writer's files look just so until it commits."""
    corpus = _three_versions(home)
    folder = corpus.latest().files(SONGS)[0].path.parent
    young, old = folder / "part-young.parquet", folder / "part-old.parquet#1"
    for file, hours in ((young, 23), (old, 25)):
        file.write_bytes(b"unfinished")
        then = time.time() - hours * 3600
        os.utime(file, (then, then))
    plan = plan_vacuum(home, keep_versions=5)
    assert ([file.path for file in plan.files], plan.n_uncommitted, plan.lost) == ([old], 1, [])
    vacuum(home, plan)
    assert (young.exists(), old.exists()) == (True, False)


def test_old_files_of_the_latest_version_stay(home: Home) -> None:
    corpus = _three_versions(home)
    for file in home.corpus.rglob("*.parquet"):
        os.utime(file, (0, 0))
    vacuum(home, plan_vacuum(home, keep_versions=1))
    assert corpus.latest().rows(FILMS).num_rows == 3


def test_what_is_written_between_plan_and_vacuum_stays(home: Home) -> None:
    corpus = _three_versions(home)
    plan = plan_vacuum(home, keep_versions=1)
    corpus.write(FILMS, shard_rows(FILMS, ["d"]), ORIGIN)
    vacuum(home, plan)
    assert corpus.latest().rows(FILMS).num_rows == 1
    assert corpus.at(4).rows(FILMS).num_rows == 3


def test_shards_can_be_written_after_compaction_and_vacuum(home: Home) -> None:
    corpus = _three_versions(home)
    scatter(home, FILMS, 3)
    list(compact(home))
    vacuum(home, plan_vacuum(home, keep_versions=1))
    assert corpus.write(FILMS, shard_rows(FILMS, ["a", "b", "c"]), ORIGIN).version is None
    assert corpus.write(FILMS, shard_rows(FILMS, ["a", "z"]), ORIGIN).changes == Changes(1, 0, 2, 1)


def test_the_commands_say_what_they_do_and_ask_before_they_delete(factmill: Factmill, home: Home) -> None:
    corpus = _three_versions(home)
    scatter(home, SONGS, 1)
    scatter(home, FILMS, 3)
    number = corpus.latest().number or 0
    out = factmill("corpus", "compact", "--home", home.root).out
    assert f"{FILMS}: 3 files became 1, version {number + 1}.\n1 shard had nothing to compact.\n" in out
    listed = factmill("corpus", "vacuum", "--keep-versions", "1", "--home", home.root)
    assert listed.status == 1
    assert "No longer readable would be versions 1-" in listed.out
    assert listed.err == "Nothing was deleted. Next: the same with --yes\n"
    assert corpus.at(1).rows(FILMS).num_rows == 1
    told = json.loads(factmill("corpus", "vacuum", "--keep-versions", "1", "--yes", "--json", "--home", home.root).out)
    assert (told["deleted"], told["kept"]) == (True, [number + 1])
    again = factmill("corpus", "vacuum", "--keep-versions", "1", "--home", home.root)
    assert (again.status, "There is nothing to delete" in again.out) == (0, True)
    assert factmill("corpus", "vacuum", "--keep-days", "1", "--keep-versions", "1", "--home", home.root).status == 2
    assert "compact: 3 files became 1" in factmill("corpus", "log", "--home", home.root).out


def test_an_empty_corpus_is_neither_compacted_nor_vacuumed(home: Home) -> None:
    assert list(compact(home)) == []
    with pytest.raises(ConfigError, match="the corpus is empty"):
        plan_vacuum(home)
