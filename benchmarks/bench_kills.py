"""Kill `factmill stage wikidata` at random moments and look at what is left.

    python -m benchmarks.bench_kills

After a kill the snapshot in use must be the old one, or the new one and complete. The next run must use the windows
that were finished, and the end must be what an undisturbed run gives.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.truthy_dump import write_dump
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.manifest import Stage

ROOT = Path(__file__).parent.parent
N_KILLS = 50
WINDOW_BYTES = 100_000
RAW_BYTES = 20_000_000
_SECONDS_BETWEEN_LOOKS = 0.002


@dataclass
class Tally:
    """What came of the kills."""

    n_hits: int = 0
    n_missed: int = 0
    """Runs that were done before their kill came."""
    n_windows: int = 0
    """Windows that were finished when a run was killed."""
    n_reused: int = 0
    damage: list[str] = field(default_factory=list)


def small_windows(home: Path) -> dict[str, str]:
    """Return an environment in which a small dump has many windows."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FACTMILL_")}
    return kept | {"FACTMILL_HOME": str(home), "FACTMILL_WINDOW_BYTES": str(WINDOW_BYTES)}


def start_staging(dump: Path, home: Path) -> "subprocess.Popen[str]":
    """Start the command in a process of its own."""
    command = [sys.executable, "-m", "factmill", "stage", "wikidata", str(dump), "--workers", "2"]
    return subprocess.Popen(
        command, cwd=ROOT, env=small_windows(home), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def finished_windows(home: Path) -> dict[str, dict[str, tuple[int, int]]]:
    """Return the finished windows of an interrupted run, each with its files of facts."""
    found = {}
    for folder in (home / "staged" / "wikidata").glob("*.unfinished"):
        for note in sorted((folder / "parts").glob("*.json")):
            found[note.stem] = facts_files(folder / "facts", note.stem)
    return found


def facts_files(folder: Path, window: str = "") -> dict[str, tuple[int, int]]:
    """Return the inode and the time of each file of facts."""
    files = sorted(folder.glob(f"{window}*.parquet"))
    return {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in files}


def tables(stage: Stage) -> tuple[pa.Table, pa.Table]:
    """Return all that a snapshot holds."""
    return pq.read_table(stage.facts), pq.read_table(stage.entities)


def wait_for_windows(process: "subprocess.Popen[str]", home: Path, n_windows: int) -> None:
    """Wait until a run has finished some windows or is done."""
    while process.poll() is None and len(finished_windows(home)) < n_windows:
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def _has_begun(home: Path, called_ns: int) -> bool:
    """Tell whether a run that was called at this time has begun to read: it writes down its windows first."""
    notes = (home / "staged" / "wikidata").glob("*.unfinished/parts/windows")
    return any(note.stat().st_mtime_ns > called_ns for note in notes)


class Kills:
    """Kills runs that stage a dump in homes where another one is staged."""

    def __init__(self, dump: Path, old_home: Path, folder: Path, seed: int = 0) -> None:
        self.tally = Tally()
        self._dump = dump
        self._old_home = old_home
        self._old = Stage.current(Home.open(old_home), "wikidata").manifest.snapshot
        self._folder = folder
        self._chance = random.Random(seed)
        self._n_homes = 0
        home = self._new_home()
        self.seconds = self._run(home, None) or 0.0
        self.new = Stage.current(Home.open(home), "wikidata")
        self._expected = tables(self.new)

    def kill(self, n: int) -> Tally:
        """Kill runs until this many were hit, at moments that are spread over the length of a run; then finish."""
        delays = [(number + self._chance.random()) / n * self.seconds for number in range(n)]
        self._chance.shuffle(delays)
        home = self._new_home()
        for delay in delays:
            while not self._is_hit(home, delay):
                self.tally.n_missed += 1
                delay *= 0.8
                home = self._new_home()
            if self._is_complete(home):
                home = self._new_home()
        self._finish(home)
        return self.tally

    def _is_hit(self, home: Path, delay: float) -> bool:
        before = finished_windows(home)
        is_hit = self._run(home, delay) is None
        self._look(home, before)
        self.tally.n_hits += is_hit
        self.tally.n_windows += len(finished_windows(home)) if is_hit else 0
        return is_hit

    def _finish(self, home: Path) -> None:
        before = finished_windows(home)
        self._run(home, None)
        self._look(home, before)
        if not self._is_complete(home):
            self.tally.damage.append(f"{home}: the last run did not complete")

    def _run(self, home: Path, delay: float | None) -> float | None:
        """Return how long a run took from when it began to read; None if it was killed after this delay."""
        called_ns = time.time_ns()
        process = start_staging(self._dump, home)
        while process.poll() is None and not _has_begun(home, called_ns):
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        started = time.monotonic()
        try:
            _, told = process.communicate(timeout=delay)
        except subprocess.TimeoutExpired:
            process.kill()
            _, told = process.communicate()
            if process.returncode < 0:
                return None
        if process.returncode:
            self.tally.damage.append(f"{home}: status {process.returncode}, {told}")
        return time.monotonic() - started

    def _look(self, home: Path, before: dict[str, dict[str, tuple[int, int]]]) -> None:
        """Look whether what is visible is whole, and whether the windows that were finished are still those."""
        self.tally.damage += [f"{home}: {text}" for text in self._damage(home)]
        facts = home / "staged" / "wikidata" / self.new.manifest.snapshot / "facts"
        after = {window: facts_files(facts, window) for window in before} if facts.exists() else finished_windows(home)
        reused = [window for window, files in before.items() if after.get(window) == files]
        self.tally.n_reused += len(reused)
        if len(reused) < len(before):
            self.tally.damage.append(f"{home}: of {len(before)} windows only {len(reused)} were used again")

    def _damage(self, home: Path) -> Iterator[str]:
        try:
            current = Stage.current(Home.open(home), "wikidata")
        except ConfigError as error:
            yield str(error)
            return
        if current.manifest.snapshot not in (self._old, self.new.manifest.snapshot):
            yield f"the snapshot in use is {current.manifest.snapshot}"
        names = {path.name for path in current.folder.parent.iterdir() if path.is_dir() and path.suffix == ""}
        if names - {self._old, self.new.manifest.snapshot}:
            yield f"these snapshots are visible: {names}"
        if self.new.manifest.snapshot in names:
            new = Stage(current.folder.parent / self.new.manifest.snapshot)
            if tables(new) != self._expected:
                yield "the new snapshot differs from that of an undisturbed run"

    def _is_complete(self, home: Path) -> bool:
        return Stage.current(Home.open(home), "wikidata").manifest.snapshot == self.new.manifest.snapshot

    def _new_home(self) -> Path:
        self._n_homes += 1
        return Path(shutil.copytree(self._old_home, self._folder / f"home-{self._n_homes}"))


def main() -> None:
    """Kill many runs and print what came of it."""
    from factmill.stage import stage_wikidata

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old, new = folder / "old.nt.gz", folder / "new.nt.gz"
        write_dump(old, 1_000_000, seed=1, processes=1)
        write_dump(new, RAW_BYTES, processes=1, member_raw_bytes=1_000_000)
        stage_wikidata(Home.open(folder / "old", create=True), old, "en")
        kills = Kills(new, folder / "old", folder)
        tally = kills.kill(N_KILLS)
    print(
        f"{tally.n_hits} runs of {kills.seconds:.1f} s were killed, {tally.n_missed} were done before their kill came."
    )
    print(f"{tally.n_windows} windows were finished when a run was killed, {tally.n_reused} were used by the next run.")
    print(f"{len(tally.damage)} were damaged.", *tally.damage, sep="\n")


if __name__ == "__main__":
    main()
