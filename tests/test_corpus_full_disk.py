"""A disk that is full at one moment of a write after the other: what was there stays, and the next run completes."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from factmill.changes import Changes
from factmill.corpus import Corpus, Written
from factmill.delta import file_lives
from factmill.errors import ConfigError, CorpusError
from factmill.home import Home
from factmill.names import ShardName
from factmill.upkeep import plan_vacuum, vacuum
from tests.conftest import Outcome, resize_disk
from tests.dumps import SONGS as SONG_LINES
from tests.dumps import fact, name, write_dump
from tests.pairs import ORIGIN, shard_rows

Factmill = Callable[..., Outcome]

SONGS = ShardName("wikidata", "P175")
_PAGE_KILOBYTES = 4


def _used_kilobytes(folder: Path) -> int:
    """Return what a file system of memory needs: whole pages, also for each folder and file."""
    return sum(-(-path.stat().st_size // 4096) * 4 for path in folder.rglob("*") if path.is_file())


def _is_of_log(path: Path) -> bool:
    return path.parent.name == "_delta_log" and path.suffix == ".json" and path.stem.isdigit()


def _full(home: Home) -> str:
    return (
        f"the disk of {home.root} is full. The corpus is whole, and nothing half-written is visible in it:"
        " make room and run it again."
    )


def _check_that_a_vacuum_finds_the_rest(home: Home) -> None:
    """What no version has is deleted when it is a day old, and then nothing is left but what versions have."""
    vacuum(home, plan_vacuum(home, now=datetime.now(UTC) + timedelta(days=2)))
    files = {path for path in home.corpus.rglob("*") if path.is_file() and not _is_of_log(path)}
    assert files == {life.path for life in file_lives(home.corpus)}


def test_a_disk_that_is_full_while_a_shard_is_written_keeps_the_version_before(
    small_disk: Path, tmp_path: Path
) -> None:
    """Each try starts with the same home and a little more room, so one moment after the other has none."""
    old = shard_rows(SONGS, [f"question {n}" for n in range(300)])
    new = shard_rows(SONGS, [f"question {n}" for n in range(100, 400)])
    before = Corpus(Home.open(tmp_path / "before", create=True)).write(SONGS, old, ORIGIN).version
    home = Home(small_disk / "home")
    n_full = 0
    while True:
        resize_disk(small_disk, 4096)
        shutil.rmtree(home.root, ignore_errors=True)
        shutil.copytree(tmp_path / "before", home.root)
        resize_disk(small_disk, _used_kilobytes(small_disk) + _PAGE_KILOBYTES * n_full)
        error = _error_of(lambda: Corpus(home).write(SONGS, new, ORIGIN))
        if error is None:
            break
        assert str(error) == _full(home)
        n_full += 1
        latest = Corpus(home).latest()
        assert (latest.number, latest.rows(SONGS)) == (before, old)
        assert list((home.root / "warehouse").iterdir()) == []
        if n_full % 8 == 0:
            _check_that_the_next_run_completes(home, small_disk, new)
    assert n_full > 8
    assert Corpus(home).latest().rows(SONGS).equals(new)


def test_a_disk_that_fills_up_when_only_the_commit_is_missing_keeps_the_version_before(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home.open(small_disk / "home", create=True)
    old = shard_rows(SONGS, [f"question {n}" for n in range(300)])
    new = shard_rows(SONGS, [f"question {n}" for n in range(100, 400)])
    before = Corpus(home).write(SONGS, old, ORIGIN).version
    filler = small_disk / "filler"

    def fill(table: DeltaTable) -> None:
        try:
            with filler.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
        except OSError:
            return

    with monkeypatch.context() as patched:
        patched.setattr("factmill.corpus._add_new_columns", fill)
        error = _error_of(lambda: Corpus(home).write(SONGS, new, ORIGIN))
    assert error is not None
    assert str(error) == _full(home)
    # It was Delta that met it.
    assert isinstance(error.__cause__, CorpusError)
    latest = Corpus(home).latest()
    assert (latest.number, latest.rows(SONGS)) == (before, old)
    filler.unlink()
    _check_that_the_next_run_completes(home, small_disk, new)


def _error_of(write: Callable[[], Written]) -> ConfigError | None:
    try:
        write()
    except ConfigError as error:
        return error
    return None


def _check_that_the_next_run_completes(home: Home, disk: Path, rows: pa.Table) -> None:
    resize_disk(disk, 4096)
    written = Corpus(home).write(SONGS, rows, ORIGIN)
    assert written.changes == Changes(100, 0, 100, 200)
    _check_that_a_vacuum_finds_the_rest(home)
    assert Corpus(home).latest().rows(SONGS).equals(rows)


def test_commands_say_that_the_disk_is_full_and_complete_when_there_is_room(
    factmill: Factmill, small_disk: Path, tmp_path: Path
) -> None:
    songs = [
        line
        for n in range(100, 400)
        for line in (name(f"Q{n}", f"Song {n}"), fact(f"Q{n}", "P31", "Q7366"), fact(f"Q{n}", "P175", "Q10"))
    ]
    dump, base = write_dump(tmp_path / "d.nt.gz", [*SONG_LINES, *songs]), tmp_path / "base.jsonl"
    base.write_text("".join(f'{{"question": "who is number {n}", "answer": ["{n}"]}}\nno pair\n' for n in range(500)))
    commands = (["augment", str(SONGS), "--no-index"], ["corpus", "import", str(base)])
    home, undisturbed = (Home.open(root / "home", create=True) for root in (small_disk, tmp_path))
    for each in (home, undisturbed):
        assert factmill("stage", "wikidata", dump, f"--home={each.root}").status == 0
    for words in commands:
        assert factmill(*words, f"--home={undisturbed.root}").status == 0
        kilobytes, n_full = _used_kilobytes(small_disk), 0
        resize_disk(small_disk, kilobytes)
        while (outcome := factmill(*words, f"--home={home.root}")).status:
            assert (outcome.status, outcome.err) == (1, f"Error: {_full(home)}\n")
            assert list((home.root / "warehouse").iterdir()) == []
            n_full, kilobytes = n_full + 1, kilobytes + 8 * _PAGE_KILOBYTES
            resize_disk(small_disk, kilobytes)
        assert n_full > 1
    latest, expected = Corpus(home).latest(), Corpus(undisturbed).latest()
    assert latest.shards() == expected.shards()
    assert [latest.rows(shard) for shard in latest.shards()] == [expected.rows(shard) for shard in expected.shards()]
    # Of a run that broke off no refusals are kept: there is one file of each run that completed.
    assert len(list((home.root / "rejects").iterdir())) == 2
    _check_that_a_vacuum_finds_the_rest(home)
