"""Shows that an endpoint in trouble never leaves a part of its facts behind as if that were all.

Each fault is injected at a random question, many times, while a real endpoint (Oxigraph, cut at a row limit) is staged.
Afterwards either exactly its facts are staged, or nothing and the error says why. A second run must then succeed.
"""

import argparse
import random
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks import hostile_endpoint as hostile
from factmill.errors import SourceError
from factmill.home import Home
from factmill.manifest import Stage, staged_sources
from factmill.names import ShardName
from factmill.settings import settings
from factmill.sparql_server import sparql_server
from factmill.stage import stage_dbpedia

SHARD = ShardName("dbpedia", "dbo:artist")
N_SONGS = 60
_MAX_ROWS = 25
_ARTIST = "<http://dbpedia.org/ontology/artist>"

Fact = tuple[str, str]


def write_songs(path: Path) -> set[Fact]:
    """Write songs with one to three artists each; return the facts as they should be staged."""
    facts = {
        (f"Song_{number:02}", f"Singer_{number % 5 + k}") for number in range(N_SONGS) for k in range(number % 3 + 1)
    }
    lines = [_statement(song, singer) for song, singer in sorted(facts)]
    songs = [f"Song_{number:02}{end}" for number in range(N_SONGS) for end in ("", "x")]
    lines += [_label(name) for name in [*songs, *(f"Singer_{number}" for number in range(7))]]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return facts


def _resource(name: str) -> str:
    return f"<http://dbpedia.org/resource/{name}>"


def _statement(song: str, singer: str) -> str:
    return f"{_resource(song)} {_ARTIST} {_resource(singer)} ."


def _label(name: str) -> str:
    return f'{_resource(name)} <http://www.w3.org/2000/01/rdf-schema#label> "{name.replace("_", " ")}"@en .'


def staged_facts(home: Home, changed: set[str]) -> set[Fact] | None:
    """Return what is staged, None if nothing is; a fact that is there twice and a lost name are errors of their own.

    Only what changed may be nameless: an endpoint that has forgotten a song does not tell its name.
    """
    if not staged_sources(home):
        return None
    stage = Stage.current(home, "dbpedia")
    entities = pq.read_table(stage.entities).to_pylist()
    if unnamed := {row["id"].removeprefix("dbr:") for row in entities if not row["label"]} - changed:
        raise AssertionError(f"names were lost: {sorted(unnamed)}")
    rows = pq.read_table(stage.facts).to_pylist()
    facts = [(row["subject"].removeprefix("dbr:"), row["object"].removeprefix("dbr:")) for row in rows]
    if len(set(facts)) < len(facts):
        raise AssertionError("a fact was staged twice")
    return set(facts)


class Trials:
    """Stages the same songs again and again."""

    def __init__(self, endpoint: hostile.HostileEndpoint, upstream: str, facts: set[Fact], folder: Path) -> None:
        self._endpoint = endpoint
        self._upstream = upstream
        self._facts = facts
        self._folder = folder
        self._n_homes = 0
        self._n_spoiled = 0
        endpoint.begin()
        self._stage(self._new_home())
        self.n_questions = len(endpoint.asked)

    def fault(self, chance: random.Random, fault: hostile.Fault | None) -> str:
        """Let one question, or all from it on, go wrong; tell how it ended."""
        spoil = fault or self._endpoint.rows_of_the_page_before
        while True:
            home = self._new_home()
            self._endpoint.begin()
            at = chance.randrange(self.n_questions)
            n_times = chance.choice([1, 1, 1, 2, 50])
            self._endpoint.faults = dict.fromkeys(range(at, at + n_times), spoil)
            how = self._judge(home, [self._facts], set())
            # Some questions cannot go wrong in this way: a count cannot be cut. They are no trials.
            if self._n_spoiled:
                return how

    def change(self, chance: random.Random) -> str:
        """Change a row between two questions: it moves, goes, comes or gets another value."""
        song, singer = chance.choice(sorted(self._facts))
        new: list[Fact] = chance.choice(
            [
                [(f"Song_{chance.randrange(N_SONGS):02}x", singer)],
                [],
                [(song, singer), ("Song_00x", singer)],
                [(song, "Singer_6")],
            ]
        )
        after = (self._facts - {(song, singer)}) | set(new)
        home = self._new_home()
        self._endpoint.begin()
        at = chance.randrange(self.n_questions)
        self._endpoint.between = {at: partial(self.update, self._facts, after)}
        try:
            return self._judge(home, [self._facts, after], self._facts ^ after)
        finally:
            self.update(after, self._facts)

    def _judge(self, home: Home, allowed: list[set[Fact]], changed: set[Fact]) -> str:
        names = {name for fact in changed for name in fact}
        try:
            self._stage(home)
            self._n_spoiled = self._endpoint.n_spoiled
        except SourceError as error:
            self._n_spoiled = self._endpoint.n_spoiled
            if staged_facts(home, names) is not None:
                raise AssertionError("an error, but something was staged") from error
            self._endpoint.begin()
            self._stage(home)
            how = "error, then all"
        else:
            how = "all"
        found = staged_facts(home, names) or set()
        n_rows = {len(facts) for facts in allowed}
        # A row that changed is there as it was before or after, whichever was read.
        if found - changed != allowed[0] - changed or len(found) not in n_rows:
            raise AssertionError(f"a partial set was committed: {len(found)} of {sorted(n_rows)} facts")
        return how

    def _stage(self, home: Home) -> None:
        stage_dbpedia(home, self._endpoint.url, [SHARD], "en", wait_seconds=0)

    def _new_home(self) -> Home:
        self._n_homes += 1
        return Home.open(self._folder / f"home{self._n_homes}", create=True)

    def update(self, before: set[Fact], after: set[Fact]) -> None:
        """Change the real endpoint's facts."""
        gone = " ".join(_statement(*fact) for fact in sorted(before - after))
        come = " ".join(_statement(*fact) for fact in sorted(after - before))
        update = f"DELETE DATA {{ {gone} }} ; INSERT DATA {{ {come} }}".encode()
        request = urllib.request.Request(
            self._upstream.replace("/query", "/update"), update, {"Content-Type": "application/sparql-update"}
        )
        with urllib.request.urlopen(request, timeout=30):
            pass


FAULTS: dict[str, hostile.Fault | None] = {
    "429 with Retry-After": hostile.too_many,
    "503": hostile.unavailable,
    "connection cut": hostile.connection_cut,
    "HTML page with 200": hostile.page_of_html,
    "JSON cut short": hostile.json_cut_short,
    "cap without a header": hostile.cap_without_header,
    "partial result": hostile.partial_result,
    "rows sent twice": None,
}


def run(n_trials: int, tell: Callable[[str], None]) -> None:
    """Inject every fault this many times."""
    settings()
    with tempfile.TemporaryDirectory(prefix="factmill-faults-") as name:
        folder = Path(name)
        facts = write_songs(folder / "songs.nt")
        with (
            sparql_server(folder / "songs.nt", is_writable=True) as upstream,
            hostile.hostile_endpoint(upstream, _MAX_ROWS) as endpoint,
        ):
            trials = Trials(endpoint, upstream, facts, folder)
            for what, fault in FAULTS.items():
                chance = random.Random(what)
                ends = Counter(trials.fault(chance, fault) for _ in range(n_trials))
                tell(_line(what, n_trials, ends))
            chance = random.Random("change")
            tell(_line("row changed between pages", n_trials, Counter(trials.change(chance) for _ in range(n_trials))))


def _line(what: str, n_trials: int, ends: Counter[str]) -> str:
    counted = ", ".join(f"{n} × {how}" for how, n in sorted(ends.items()))
    return f"{what}: {n_trials} trials, {counted}, 0 partial sets"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    run(parser.parse_args().trials, print)
