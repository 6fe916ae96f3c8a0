"""`factmill corpus export --format paq` against a plain loop of `json.dumps` over the same rows, held in memory.

The export reads the corpus, sorts it, writes the lines and a manifest with digests; the loop writes the lines only.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from deltalake import write_deltalake

from factmill.export.formats import export_corpus
from factmill.home import Home
from factmill.pairs import PAIR_SCHEMA

_WORDS = ("river", "mountain", "silent", "last", "night", "city", "été", "naïve", "東京", "love", "song", "of", "the")
_ROWS_A_BATCH = 100_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="factmill-bench-") as folder:
        home = Home.open(Path(folder) / "home", create=True)
        batches = pa.RecordBatchReader.from_batches(PAIR_SCHEMA, _pairs(options.pairs))
        write_deltalake(home.corpus, batches, partition_by=["source", "predicate"])
        ours, theirs = Path(folder) / "ours.jsonl", Path(folder) / "theirs.jsonl"
        export = _median_seconds(lambda: _export(home, ours), options.repeats)
        rows = [json.loads(line) for line in ours.read_bytes().splitlines()]
        loop = _median_seconds(lambda: _dump(rows, theirs), options.repeats)
        if ours.read_bytes() != theirs.read_bytes():
            raise SystemExit("the files differ")
    print(f"{options.pairs:,} pairs, {len(rows):,} lines")
    print(f"factmill corpus export: {options.pairs / export:,.0f} pairs a second ({export:.1f} s)")
    print(f"loop of json.dumps: {options.pairs / loop:,.0f} pairs a second ({loop:.1f} s)")
    print(f"ratio: {loop / export:.2f}")


def _export(home: Home, path: Path) -> None:
    for old in path.parent.glob("ours.*"):
        old.unlink()
    export_corpus(home, path)


def _dump(rows: Sequence[object], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")


def _median_seconds(work: Callable[[], None], repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def _pairs(n_pairs: int) -> Iterator[pa.RecordBatch]:
    """Make up pairs of one shard, in no order."""
    chance = random.Random(7)
    for start in range(0, n_pairs, _ROWS_A_BATCH):
        rows = []
        for number in range(start, min(n_pairs, start + _ROWS_A_BATCH)):
            name = " ".join(chance.choices(_WORDS, k=3))
            singer = " ".join(chance.choices(_WORDS, k=2)).title()
            rows.append(
                {
                    "qa_id": f"{chance.getrandbits(128):032x}",
                    "question": f"who sings {name} {number}",
                    "answer": [singer, f"The {singer}"][: 1 + number % 2],
                    "source": "wikidata",
                    "predicate": "P175",
                    "template": "wikidata/P175_performer",
                    "wording": "who sings {{ subject }}",
                    "subject": f"Q{number}",
                    "subject_label": name,
                    "subject_name": name,
                    "objects": [f"Q{n_pairs + number}"],
                    "kind": "single",
                    "popularity": number % 100,
                    "licence": "CC0-1.0",
                    "places": [f"0+{number}"],
                }
            )
        yield pa.RecordBatch.from_pylist(rows, PAIR_SCHEMA)


if __name__ == "__main__":
    main()
