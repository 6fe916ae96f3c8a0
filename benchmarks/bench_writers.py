"""Many processes write to the corpus at once: eight a shard of their own, four one and the same.

    python -m benchmarks.bench_writers

All of a round start together. The eight write new rows in every other round, and the same again in the others, which
must make no version. Of the four two write one set of rows and two another: whoever comes second decides anew, so the
shard is one of the two and each of its versions differs from the one before.
"""

import argparse
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pyarrow as pa

from benchmarks.processes import quick_processes
from factmill.corpus import Corpus, Origin
from factmill.corpus_log import read_log
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA

N_ROUNDS = 20
N_ROWS = 500
OWN = [ShardName("made", f"own_{number}") for number in range(8)]
SHARED = ShardName("made", "shared")
N_SHARING = 4
_barrier: Barrier


def rows_of(shard: ShardName, text: str) -> pa.Table:
    """Return rows that tell who wrote them."""
    rows = [
        {
            "qa_id": f"{shard.key} {text} {number:04}",
            "question": f"{text} {number}",
            "answer": ["yes"],
            "source": shard.source,
            "predicate": shard.key,
            "kind": "single",
        }
        for number in range(N_ROWS)
    ]
    return pa.Table.from_pylist(rows, schema=PAIR_SCHEMA)


def _use_barrier(barrier: Barrier) -> None:
    global _barrier
    _barrier = barrier


def _write(root: Path, shard: ShardName, text: str) -> int | None:
    """Write a shard when all others are ready to; return the version."""
    rows = rows_of(shard, text)
    _barrier.wait()
    return Corpus(Home.open(root)).write(shard, rows, Origin("bench", "0", "", None)).version


def run_round(pool: ProcessPoolExecutor, home: Home, number: int) -> tuple[int, int, list[str]]:
    """Let all write; return how many versions the eight should make, how many the four made, and what is wrong."""
    before = Corpus(home).latest().number or 0
    own_text, shared_texts = f"round {number // 2}", [f"round {number} of {n % 2}" for n in range(N_SHARING)]
    tasks = [(shard, own_text) for shard in OWN] + [(SHARED, text) for text in shared_texts]
    made = [pool.submit(_write, home.root, shard, text) for shard, text in tasks]
    versions = [future.result() for future in made]
    latest = Corpus(home).latest()
    damage = [
        f"round {number}: {shard} is not what was written"
        for shard in OWN
        if not latest.rows(shard).equals(rows_of(shard, own_text))
    ]
    if latest.rows(SHARED) not in [rows_of(SHARED, text) for text in shared_texts[:2]]:
        damage.append(f"round {number}: {SHARED} is not what one of its writers wrote")
    own, shared = versions[: len(OWN)], [version for version in versions[len(OWN) :] if version is not None]
    expected = len(OWN) if number % 2 == 0 else 0
    if len(own) - own.count(None) != expected:
        damage.append(f"round {number}: {len(own) - own.count(None)} versions of the eight, not {expected}")
    written = sorted(version for version in versions if version is not None)
    last = latest.number or 0
    # Version 0 is the creation of the table.
    if written != list(range(before + 1, last + 1)):
        damage.append(f"round {number}: versions {before + 1} to {last} are there, {written} were reported")
    return expected, len(shared), damage


def look_at_log(home: Home) -> list[str]:
    """Return what is wrong with the log: a version of the shared shard that changes nothing, or miscounts."""
    entries = [entry for entry in read_log(home, SHARED) if entry.changes is not None][::-1]
    damage = []
    for number, entry in enumerate(entries):
        changes = entry.changes
        if changes is None or (changes.n_added, changes.n_retired) != (N_ROWS, N_ROWS if number else 0):
            damage.append(f"version {entry.version} says {changes}")
    return damage


def main(words: list[str] | None = None) -> None:
    """Let many write in many rounds and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=N_ROUNDS)
    chosen = parser.parse_args(words)
    context = quick_processes()
    n_writers = len(OWN) + N_SHARING
    n_own = n_shared = 0
    damage: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        home = Home.open(Path(name) / "home", create=True)
        started = time.monotonic()
        barrier = context.Barrier(n_writers)
        with ProcessPoolExecutor(n_writers, mp_context=context, initializer=_use_barrier, initargs=(barrier,)) as pool:
            for number in range(chosen.rounds):
                expected, shared, found = run_round(pool, home, number)
                n_own, n_shared, damage = n_own + expected, n_shared + shared, damage + found
        seconds = time.monotonic() - started
        damage += look_at_log(home)
        n_versions = Corpus(home).latest().number
    n_same = chosen.rounds * n_writers - n_own - n_shared
    print(f"{chosen.rounds} rounds of {n_writers} writers: {chosen.rounds * n_writers:,} writes in {seconds:.1f} s")
    print(f"{n_versions} versions: {n_own} of shards of their own, {n_shared} of the shared one")
    print(f"{n_same} writes found their rows there already and made no version")
    print(f"{len(damage)} rounds or versions were wrong", *damage, sep="\n")
    if damage:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
