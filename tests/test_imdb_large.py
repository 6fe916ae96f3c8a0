"""Made-up files of a mix like IMDb's: equal rows with any number of threads, and an interruption leaves nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks.imdb_files import write_files
from factmill.home import Home
from factmill.manifest import Stage
from factmill.settings import settings
from factmill.stage import stage_imdb
from tests.conftest import ROOT


def _staged(folder: Path, home: Path, threads: int, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setenv("FACTMILL_THREADS", str(threads))
    settings.cache_clear()
    return stage_imdb(Home.open(home, create=True), folder, "en").stage


def test_any_number_of_threads_gives_equal_rows_in_equal_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "imdb"
    folder.mkdir()
    write_files(folder, 60_000)
    first, *others = [_staged(folder, tmp_path / str(n), n, monkeypatch) for n in (1, 2, 5)]
    facts = pq.read_table(first.facts)
    assert facts.num_rows == first.manifest.facts > 100_000
    order = list(zip(facts["predicate"].to_pylist(), facts["subject"].to_pylist(), strict=True))
    assert order == sorted(order)
    ids = pq.read_table(first.entities)["id"].to_pylist()
    assert ids == sorted(set(ids))
    for other in others:
        assert pq.read_table(other.facts).equals(facts)
        assert pq.read_table(other.entities).equals(pq.read_table(first.entities))
        assert other.manifest.ignored == first.manifest.ignored
        assert other.manifest.rejected == first.manifest.rejected


def test_entities_count_the_facts_about_them_and_pointing_to_them(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "imdb"
    folder.mkdir()
    write_files(folder, 3_000)
    stage = stage_imdb(home, folder, "en").stage
    about: dict[str, int] = {}
    pointing: dict[str, int] = {}
    for fact in pq.read_table(stage.facts, columns=["subject", "object"]).to_pylist():
        about[fact["subject"]] = about.get(fact["subject"], 0) + 1
        if fact["object"]:
            pointing[fact["object"]] = pointing.get(fact["object"], 0) + 1
    rows = pq.read_table(stage.entities).to_pylist()
    assert {row["id"]: row["n_statements"] for row in rows if row["n_statements"]} == about
    assert {row["id"]: row["in_degree"] for row in rows if row["in_degree"]} == pointing
    assert {row["id"] for row in rows} == about.keys() | pointing.keys()


def test_ctrl_c_stops_at_once_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    folder = tmp_path / "imdb"
    folder.mkdir()
    write_files(folder, 300_000)
    home = tmp_path / "home"
    command = [sys.executable, "-m", "factmill", "stage", "imdb", str(folder), "--home", str(home)]
    for seconds in (0.3, 1.5):
        run = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not list(home.glob("warehouse/*/title.basics.tsv")) and run.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(seconds)
        os.kill(run.pid, signal.SIGINT)
        started = time.monotonic()
        _, err = run.communicate(timeout=60)
        assert run.returncode == 130, err
        assert time.monotonic() - started < 10
        assert not (home / "staged" / "imdb" / "current").exists()
        assert list((home / "warehouse").iterdir()) == []
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert Stage.current(Home.open(home), "imdb").manifest.facts > 500_000
