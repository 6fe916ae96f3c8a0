"""What a visitor sees first: `factmill demo`."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from factmill import sparql_server
from factmill.corpus import Corpus
from factmill.home import Home
from factmill.paq_form import paq_form
from factmill.questions import read_questions
from factmill.steps import plan_all
from factmill.templates import catalogue
from tests.conftest import ROOT, Outcome, run_cleanly

DEMO = ROOT / "demo"
Factmill = Callable[..., Outcome]


def _table(out: str) -> dict[str, list[float]]:
    rows = re.findall(r"^ (base|\+ \w+) +([\d,]+) +([\d.]+) +([\d.]+)(?: +(\d+) +(\d+))?", out, re.MULTILINE)
    return {name: [float(cell.replace(",", "") or 0) for cell in cells] for name, *cells in rows}


def _start_demo(home: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "factmill", "demo", "--home", str(home)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _servers() -> set[int]:
    """Return the processes that run oxigraph or its keeper."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(b"oxigraph" in word for word in words):
            found.add(int(entry.name))
    return found


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int], set[int]]:
    """The home of demos that were killed while their server ran, their exit statuses, and the servers that are left."""
    home = tmp_path_factory.mktemp("finished") / "demo"
    statuses, left = [], set()
    for deadly in (signal.SIGKILL, signal.SIGINT):
        before = _servers()
        demo = _start_demo(home)
        deadline = time.monotonic() + 60
        while not _servers() - before and demo.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        os.kill(demo.pid, deadly)
        demo.communicate(timeout=60)
        statuses.append(demo.returncode)
        deadline = time.monotonic() + 20
        while _servers() - before and time.monotonic() < deadline:
            time.sleep(0.05)
        left |= _servers() - before
    return home, statuses, left


@pytest.fixture(scope="module")
def finished(killed: tuple[Path, list[int], set[int]]) -> tuple[Path, str]:
    """The home of a demo that ran to its end, and what it printed."""
    home, _, _ = killed
    return home, run_cleanly(sys.executable, "-m", "factmill", "demo", "--home", home, cwd=ROOT)


def test_the_demo_shows_that_each_source_contributes_and_a_second_run_changes_nothing(
    factmill: Factmill, finished: tuple[Path, str]
) -> None:
    home, first = finished
    table = _table(first)
    assert list(table) == ["base", "+ dbpedia", "+ imdb", "+ wikidata", "+ all"]
    base, everything = table["base"], table["+ all"]
    for name in ("+ dbpedia", "+ imdb", "+ wikidata"):
        _, em_1, em_5, gained, lost = table[name]
        assert em_1 > base[1]
        assert em_5 > base[2]
        assert gained > 10 * lost
        assert everything[1] > em_1
        assert everything[2] > em_5
    assert "Michelle Obama" in first
    report = Path(re.findall(r"^Report: (.+)$", first, re.MULTILINE)[0])
    assert report.read_text(encoding="utf-8").startswith("<!doctype html>")

    version = Corpus(Home.open(home)).latest().number
    second = factmill("demo", "--home", home)
    assert "Everything is up to date: no commit was made." in second.out
    assert Corpus(Home.open(home)).latest().number == version
    assert _table(second.out) == table


def test_the_questions_cover_what_each_source_and_nobody_knows() -> None:
    rows = [json.loads(line) for line in (DEMO / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    by = [tuple(row["answerable_by"]) for row in rows]
    for only in (("wikidata",), ("dbpedia",), ("imdb",), ("base",), ()):
        assert by.count(only) >= 50
    questions = [row["question"] for row in rows]
    assert len(set(questions)) == len(questions) >= 300
    base = set(read_questions(DEMO / "base.jsonl").questions)
    assert len(base) >= 250
    assert not base & set(questions)


def test_no_question_of_the_demo_has_the_wording_of_a_template(finished: tuple[Path, str]) -> None:
    """Neither a question that the corpus holds, nor one that a wording matches whatever stands for its names."""
    corpus = Corpus(Home.open(finished[0])).latest()
    held = {q for shard in corpus.shards() for q in corpus.rows(shard, ("question",))["question"].to_pylist()}
    asked = {paq_form(question) for question in read_questions(DEMO / "questions.jsonl").questions}
    assert not asked & held
    wordings = {wording for template in catalogue().values() for wording in template.wordings}
    for wording in wordings:
        pattern = re.sub(r"\\\{\\\{.*?\\\}\\\}", "(.+)", re.escape(wording))
        assert not [question for question in asked if re.fullmatch(pattern, question)], wording


def test_a_killed_demo_leaves_no_server_behind_and_the_next_run_works(
    killed: tuple[Path, list[int], set[int]], finished: tuple[Path, str]
) -> None:
    home, statuses, left = killed
    assert statuses == [-signal.SIGKILL, 130]
    assert left == set()
    assert (home, len(_table(finished[1]))) == (finished[0], 5)


def test_every_shard_of_the_demo_gives_pairs(finished: tuple[Path, str]) -> None:
    home = Home.open(finished[0])
    corpus = Corpus(home).latest()
    for source, least in {"wikidata": 20, "dbpedia": 12, "imdb": 8}.items():
        chosen = plan_all(home, source).chosen
        assert len(chosen) >= least
        assert [str(shard) for shard in chosen if not corpus.rows(shard, ("qa_id",)).num_rows] == []
    files = (home.root / "rejects").glob("*-augment-*.jsonl")
    reasons = {json.loads(line)["reason"] for file in files for line in file.read_text(encoding="utf-8").splitlines()}
    assert reasons == {"answer stands in the question", "the subject is of another type"}


def test_a_port_that_is_taken_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports = iter([taken.getsockname()[1], sparql_server.free_port()])
        monkeypatch.setattr(sparql_server, "free_port", lambda: next(ports))
        with sparql_server.sparql_server(DEMO / "dbpedia.ttl") as url:
            assert f":{taken.getsockname()[1]}/" not in url
