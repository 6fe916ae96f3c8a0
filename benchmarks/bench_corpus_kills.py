"""Kill what writes to the corpus at random moments, and look at what is left.

    python -m benchmarks.bench_corpus_kills
    python -m benchmarks.bench_corpus_kills --kills 10

Runs of `factmill augment`, and some of `factmill corpus import`, write one and another version of a shard in turn.
After a kill the shard must be one of the two, row by row, and the next run must make it the one it writes. One half of
the kills is spread over the whole run, the other over the moments from the first trace in the corpus to the commit.

The same is done to what one would write first: rows are appended to a file, a checkpoint says after each batch how many
there are, and the next run goes on from it.
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.large_stage import write_stage
from benchmarks.processes import quick_processes, run_factmill
from factmill.corpus import Corpus
from factmill.delta import file_lives
from factmill.errors import FactmillError
from factmill.home import Home
from factmill.names import ShardName
from factmill.upkeep import plan_vacuum

N_KILLS = 200
N_FACTS = 4_000
_IMPORTS_A_KILL = 10
_ROWS_A_CHECKPOINT = 100
_LANES = 2
_PATIENCE_SECONDS = 60
_SECONDS_BETWEEN_LOOKS = 0.001
_WORDINGS = (
    ("who sings {{ subject }}", "who performed {{ subject }}"),
    ("who sings {{ subject }}", "{{ subject }} by"),
)


@dataclass(frozen=True)
class Work:
    """A shard, and two commands each of which makes it another version."""

    shard: ShardName
    commands: tuple[list[str], list[str]]


@dataclass
class Tally:
    """What came of the kills."""

    n_hits: Counter[str] = field(default_factory=Counter)
    """Kills by when they came: before the corpus was touched, during the write, after the commit."""
    n_missed: int = 0
    """Runs that were done before their kill came."""
    n_lost: int = 0
    n_doubled: int = 0
    n_half: int = 0
    n_left: int = 0
    """Files that killed runs left in the corpus; a vacuum finds them."""
    damage: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Take in what came of other kills."""
        self.n_hits += other.n_hits
        self.n_missed += other.n_missed
        self.n_lost += other.n_lost
        self.n_doubled += other.n_doubled
        self.n_half += other.n_half
        self.n_left += other.n_left
        self.damage += other.damage


class Kills:
    """Kills runs of some work in a home of its own."""

    def __init__(self, home: Path, work: Work, expected: tuple[pa.Table, pa.Table], seed: int) -> None:
        self.tally = Tally()
        self._home = home
        self._work = work
        self._expected = expected
        self._chance = random.Random(seed)
        self._context = quick_processes()
        self._target = 0
        self._known: set[Path] = set()
        # The first run pays for starting the server of processes.
        self._complete()
        self._seconds, self._write_seconds = self._measured()

    def kill(self, n: int) -> Tally:
        """Kill runs until this many were hit; after each look what is there, and let the next run complete."""
        for number in range(n):
            while not self._is_hit(spread=number % 2 == 0):
                self.tally.n_missed += 1
                self._target = 1 - self._target
            self._complete()
        self._look_for_files()
        return self.tally

    def _is_hit(self, *, spread: bool) -> bool:
        version = Corpus(Home.open(self._home)).latest().number
        process = self._start()
        if not spread:
            while process.is_alive() and not self._news():
                time.sleep(_SECONDS_BETWEEN_LOOKS)
        seconds = self._seconds if spread else self._write_seconds
        process.join(self._chance.random() * seconds)
        process.kill()
        process.join()
        is_hit = process.exitcode is not None and process.exitcode < 0
        if not is_hit and process.exitcode:
            self.tally.damage.append(f"{self._work.shard}: a run ended with status {process.exitcode}")
        found = self._look()
        committed = Corpus(Home.open(self._home)).latest().number != version
        if committed != (found == self._target):
            self.tally.damage.append(f"{self._work.shard}: its rows are not those of the latest version")
        if is_hit:
            self.tally.n_hits["after" if committed else "during" if self._news() else "before"] += 1
        return is_hit

    def _complete(self) -> None:
        """Let a run complete, and turn to the other version."""
        process = self._start()
        process.join(_PATIENCE_SECONDS)
        if process.exitcode is None:
            self.tally.damage.append(f"{self._work.shard}: the next run hangs")
            process.kill()
            process.join()
        if process.exitcode or self._look() != self._target:
            self.tally.damage.append(f"{self._work.shard}: the next run did not complete")
        self._target = 1 - self._target
        self._known |= self._files()

    def _measured(self) -> tuple[float, float]:
        """Return how long a run takes, and how long from the first trace in the corpus to the commit and a bit more."""
        commits = len(_commits(self._home))
        started = time.monotonic()
        process = self._start()
        while not self._news() and process.is_alive():
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        touched = time.monotonic()
        while len(_commits(self._home)) == commits and process.is_alive():
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        committed = time.monotonic()
        process.join()
        ended = time.monotonic()
        self._complete()
        return ended - started, 1.5 * (committed - touched)

    def _start(self) -> Any:
        words = [*self._work.commands[self._target], "--home", str(self._home)]
        process = self._context.Process(target=run_factmill, args=words)
        process.start()
        return process

    def _files(self) -> set[Path]:
        return {Path(entry.path) for folder in _folders(self._home, self._work.shard) for entry in os.scandir(folder)}

    def _news(self) -> bool:
        """Tell whether a run has left a trace in the corpus."""
        return not self._files() <= self._known

    def _look(self) -> int | None:
        """Return which of the two versions the shard is; note what is wrong with it."""
        try:
            rows = Corpus(Home.open(self._home)).latest().rows(self._work.shard)
        except FactmillError as error:
            self.tally.damage.append(str(error))
            return None
        found = next((number for number, table in enumerate(self._expected) if rows.equals(table)), None)
        if found is None:
            ids = Counter(rows["qa_id"].to_pylist())
            nearest = min(
                (Counter(table["qa_id"].to_pylist()) for table in self._expected), key=lambda n: _apart(n, ids)
            )
            self.tally.n_lost += (nearest - ids).total()
            self.tally.n_doubled += (ids - nearest).total()
            self.tally.n_half += 1
        return found

    def _look_for_files(self) -> None:
        """Count what killed runs left: a vacuum must find all of it, and nothing may be in the scratch folder."""
        home = Home.open(self._home)
        later = datetime.now(UTC) + timedelta(days=2)
        found = {file.path for file in plan_vacuum(home, now=later).files}
        needed = {life.path for life in file_lives(home.corpus)}
        left = {path for path in home.corpus.rglob("*") if path.is_file() and not _is_of_log(path)} - needed
        self.tally.n_left += len(left)
        self.tally.damage += [f"a vacuum would not find {path}" for path in sorted(left - found)]
        self.tally.damage += [f"{path} was left" for path in (home.root / "warehouse").iterdir()]


def _apart(some: Counter[str], others: Counter[str]) -> int:
    return (some - others).total() + (others - some).total()


def _folders(home: Path, shard: ShardName) -> Iterator[Path]:
    """Yield the folders in which a write of the shard leaves its traces, if they are there."""
    corpus = Home(home).corpus
    folders = (corpus / f"source={shard.source}", corpus / "_delta_log")
    yield from (folder for folder in folders if folder.exists())


def _commits(home: Path) -> list[Path]:
    return [path for path in (Home(home).corpus / "_delta_log").glob("*.json") if path.stem.isdigit()]


def _is_of_log(path: Path) -> bool:
    """Tell whether a file is a commit or a checkpoint."""
    is_numbered = path.name.partition(".")[0].isdigit() and path.suffix in (".json", ".parquet")
    return path.parent.name == "_delta_log" and (is_numbered or path.name == "_last_checkpoint")


def write_works(folder: Path) -> tuple[Work, Work]:
    """Write what two runs of augment and two of import read."""
    files = [folder / f"P175_{number}.j2" for number in range(2)]
    for file, wordings in zip(files, _WORDINGS, strict=True):
        matter = 'predicate = "wikidata/P175"\nlabel = "performer"'
        file.write_text("\n".join(["+++", matter, "+++", *wordings, ""]))
    bases = [folder / f"base_{number}.jsonl" for number in range(2)]
    for number, base in enumerate(bases):
        pairs = ({"question": f"what is {n}", "answer": [str(n % 7)]} for n in range(number * 500, 2_000))
        base.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
    song, pair = ShardName("wikidata", "P175"), ShardName("paq", "base")
    augments = [["augment", str(song), "--no-index", "--template", str(file)] for file in files]
    imports = [["corpus", "import", str(base), "--as", str(pair)] for base in bases]
    return Work(song, (augments[0], augments[1])), Work(pair, (imports[0], imports[1]))


def new_home(root: Path) -> Path:
    """Make a home in which a small snapshot is staged."""
    home = Home.open(root, create=True)
    write_stage(home.staged("wikidata") / "0", N_FACTS, N_FACTS * 3 // 2).make_current(home)
    return root


def undisturbed(folder: Path, work: Work) -> tuple[pa.Table, pa.Table]:
    """Return the two versions of the shard, each made in a home where nothing else was."""
    made = []
    for number, words in enumerate(work.commands):
        home = new_home(folder / f"undisturbed-{work.shard.source}-{number}")
        process = quick_processes().Process(target=run_factmill, args=[*words, "--home", str(home)])
        process.start()
        process.join()
        made.append(Corpus(Home.open(home)).latest().rows(work.shard))
        if len(set(made[-1]["qa_id"].to_pylist())) < made[-1].num_rows or not made[-1].num_rows:
            raise SystemExit(f"{words} gives a pair twice or none")
    return made[0], made[1]


def kill_corpus(folder: Path, n: int) -> tuple[Tally, pa.Table]:
    """Kill runs of augment and import, side by side in several homes; return also the rows that augment gives."""
    augments, imports = write_works(folder)
    shares = [n // _LANES + (lane < n % _LANES) for lane in range(_LANES)]
    jobs = [(augments, share) for share in shares] + [(imports, max(2, n // _IMPORTS_A_KILL))]
    expected = {work.shard: undisturbed(folder, work) for work in (augments, imports)}

    def run(number: int) -> Tally:
        work, share = jobs[number]
        return Kills(new_home(folder / f"home-{number}"), work, expected[work.shard], seed=number).kill(share)

    total = Tally()
    with ThreadPoolExecutor(_LANES) as pool:
        for tally in pool.map(run, range(len(jobs))):
            total.add(tally)
    return total, expected[augments.shard][0]


def append_rows(rows: Path, out: Path) -> None:
    """Be the plain appender: go on after the rows of the checkpoint, and write a new one after each batch."""
    checkpoint = out.with_suffix(".checkpoint")
    done = int(checkpoint.read_text()) if checkpoint.exists() else 0
    lines = rows.read_text().splitlines(keepends=True)
    with out.open("a") as file:
        for start in range(done, len(lines), _ROWS_A_CHECKPOINT):
            for line in lines[start : start + _ROWS_A_CHECKPOINT]:
                file.write(line)
            file.flush()
            os.fsync(file.fileno())
            new = out.with_suffix(".new")
            new.write_text(str(min(start + _ROWS_A_CHECKPOINT, len(lines))))
            new.replace(checkpoint)


def kill_appender(folder: Path, rows: pa.Table, n: int) -> tuple[int, int]:
    """Kill runs of the appender, let each go on to the end; return how many rows are there twice and how many torn."""
    given = folder / "rows.jsonl"
    given.write_text("".join(f"{json.dumps(row, default=str)}\n" for row in rows.to_pylist()))
    lines = Counter(given.read_text().splitlines())
    chance, context = random.Random(0), quick_processes()

    def run(out: Path, seconds: float | None) -> bool:
        process = context.Process(target=append_rows, args=(given, out))
        process.start()
        process.join(seconds)
        process.kill()
        process.join()
        return process.exitcode == 0

    run(folder / "first.jsonl", None)
    started = time.monotonic()
    run(folder / "measured.jsonl", None)
    seconds = time.monotonic() - started
    n_doubled = n_torn = number = n_hits = 0
    while n_hits < n:
        out = folder / f"appended-{number}.jsonl"
        n_hits += not run(out, chance.random() * seconds)
        run(out, None)
        found = Counter(out.read_text().splitlines())
        n_torn += sum(count for line, count in found.items() if line not in lines)
        n_doubled += sum(count - 1 for line, count in found.items() if line in lines)
        number += 1
    return n_doubled, n_torn


def main(words: list[str] | None = None) -> None:
    """Kill many runs and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=N_KILLS)
    chosen = parser.parse_args(words)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tally, rows = kill_corpus(folder, chosen.kills)
        seconds = time.monotonic() - started
        n_doubled, n_torn = kill_appender(folder, rows, chosen.kills)
    hits = ", ".join(f"{tally.n_hits[when]} {what}" for when, what in _WHEN.items())
    print(f"{tally.n_hits.total()} kills: {hits}; {tally.n_missed} runs were done before their kill came")
    print(f"{tally.n_lost} rows lost, {tally.n_doubled} duplicated, {tally.n_half} half shards")
    print(f"{tally.n_left} files were left in the corpus, all of which a vacuum finds")
    print(f"plain appender, {chosen.kills} kills: {n_doubled:,} rows duplicated, {n_torn:,} torn")
    print(f"ratio: {tally.n_doubled} to {n_doubled:,} rows duplicated, in {seconds:.0f} s")
    if tally.damage or tally.n_half:
        raise SystemExit("\n".join(tally.damage) or "the corpus was damaged")


_WHEN = {"before": "before the write", "during": "during the write", "after": "after the commit"}


if __name__ == "__main__":
    main()
