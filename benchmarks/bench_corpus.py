"""Writing and replacing a shard against plain Parquet, and importing a base, with the memory each takes.

python -m benchmarks.bench_corpus                          # a million pairs written, five million imported
python -m benchmarks.bench_corpus --pairs 20000 --imported 20000
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pyarrow as pa

from benchmarks.cost import cost_of
from factmill.corpus import Corpus, Origin
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA
from factmill.shard_rows import ShardRows

SHARD = ShardName("wikidata", "P175")
AIM_WRITING = 2.0
AIM_IMPORT_A_SECOND = 200_000
AIM_IMPORT_GIGABYTES = 1.5


def main(words: list[str] | None = None) -> None:
    """Print the ratios, the rate and the memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--imported", type=int, default=5_000_000)
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        _bench_writing(folder, chosen.pairs)
        _bench_import(folder, chosen.imported)


def _bench_writing(folder: Path, n_pairs: int) -> None:
    corpus = Corpus(Home.open(folder / "written", create=True))
    first, second = (_rows(folder / f"{n}.parquet", n_pairs, answer) for n, answer in enumerate(("one", "another")))
    started = time.perf_counter()
    corpus.write(SHARD, first, Origin("bench", "1", "0", None))
    written = time.perf_counter() - started
    started = time.perf_counter()
    changes = corpus.write(SHARD, second, Origin("bench", "2", "0", None)).changes
    replaced = time.perf_counter() - started
    frame = pl.read_parquet(first.file)
    started = time.perf_counter()
    frame.write_parquet(folder / "plain.parquet")
    plain = time.perf_counter() - started
    print(
        f"{n_pairs:,} pairs: written in {written:.2f} s, replaced in {replaced:.2f} s ({changes.n_changed:,} changed)"
    )
    print(f"the same rows, from memory to plain Parquet by polars: {plain:.2f} s")
    print(f"ratio: {written / plain:.2f}; aim {AIM_WRITING:.0f}. Replacing: {replaced / plain:.2f}")


def _rows(file: Path, n_pairs: int, answer: str) -> ShardRows:
    """Make rows as milling gives them, sorted by `qa_id`."""
    chance = random.Random(7)
    ids = sorted(f"{chance.getrandbits(128):032x}" for _ in range(n_pairs))
    numbers = list(range(n_pairs))
    columns = {
        "qa_id": ids,
        "question": [f"who sings the song that is called number {n}" for n in numbers],
        "answer": [[f"{answer} singer {n % 1000}", f"somebody {n}"] for n in numbers],
        "source": ["wikidata"] * n_pairs,
        "predicate": ["P175"] * n_pairs,
        "template": ["wikidata/P175_performer"] * n_pairs,
        "wording": ["who sings the song that is called {{ subject }}"] * n_pairs,
        "subject": [f"Q{n}" for n in numbers],
        "subject_label": [f"number {n}" for n in numbers],
        "subject_name": [f"number {n}" for n in numbers],
        "objects": [[f"Q{n % 1000}"] for n in numbers],
        "kind": ["single"] * n_pairs,
        "popularity": [n % 300 for n in numbers],
        "licence": ["CC0-1.0"] * n_pairs,
        "places": [[f"{n // 1000 * 1000}+{n % 1000}"] for n in numbers],
    }
    lacking = {name: [None] * n_pairs for name in PAIR_SCHEMA.names if name not in columns}
    return ShardRows.of_table(SHARD, pa.table(columns | lacking).select(PAIR_SCHEMA.names).cast(PAIR_SCHEMA), file)


def _bench_import(folder: Path, n_pairs: int) -> None:
    file = folder / "base.jsonl"
    with file.open("w", encoding="ascii") as lines:
        lines.writelines(_lines(n_pairs))
    command = [sys.executable, "-m", "factmill", "corpus", "import", str(file), "--home", str(folder / "imported")]
    cost = cost_of(command)
    started = time.perf_counter()
    with file.open("rb") as raw:
        n_read = sum(1 for line in raw if json.loads(line)["question"])
    peer = time.perf_counter() - started
    if n_read != n_pairs:
        raise SystemExit(f"{n_read:,} of {n_pairs:,} pairs were read")
    rate = n_pairs / cost.wall
    print(f"{n_pairs:,} pairs imported in {cost.wall:.1f} s: {rate:,.0f} a second; aim {AIM_IMPORT_A_SECOND:,}")
    print(f"memory: {cost.peak_bytes / 1e9:.2f} GB; aim {AIM_IMPORT_GIGABYTES}. A million takes {1e6 / rate:.1f} s")
    print(f"ratio: {cost.wall / peer:.1f} times a loop of json.loads, which keeps nothing")


def _lines(n_pairs: int) -> Iterator[str]:
    """Yield lines as PAQ has them, of which one in a hundred asks what an earlier one asked."""
    for n in range(n_pairs):
        number = n // 2 if n % 100 == 0 else n
        pair = {"question": f"who wrote the book that is called number {number}", "answer": [f"writer {n % 5000}"]}
        yield json.dumps(pair) + "\n"


if __name__ == "__main__":
    main()
