"""The room that views take beside a shard of a million pairs, and what a view costs against a copy of its pairs.

python -m benchmarks.bench_views
python -m benchmarks.bench_views --pairs 20000
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from benchmarks.large_stage import write_stage
from benchmarks.question_corpus import write_shard
from factmill.corpus import Corpus
from factmill.home import Home
from factmill.view_rows import update_views
from factmill.views import add_view

AIM = 0.01
_VIEWS = 5


def main(words: Sequence[str] | None = None) -> None:
    """Print the share of the shard's size that four more views take, and the time against writing a filtered copy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as text:
        home = Home.open(Path(text) / "home", create=True)
        write_stage(home.staged("wikidata") / "0", 100, 100).make_current(home)
        shard = write_shard(home, 0, range(chosen.pairs))
        (file,) = Corpus(home).latest().files(shard)
        sizes, seconds = [], 0.0
        for number in range(_VIEWS):
            add_view(home, f"known-{number}", "popular", least_popularity=50 * number)
            started = time.perf_counter()
            list(update_views(home))
            seconds = time.perf_counter() - started
            sizes.append(file.n_bytes + sum(path.stat().st_size for path in (home.views / "rows").rglob("*.npy")))
        started = time.perf_counter()
        pl.read_parquet(file.path).filter(pl.col("popularity") >= 200).write_parquet(Path(text) / "copy.parquet")
        copied = time.perf_counter() - started
    first, last = sizes[0] / 1e6, sizes[-1] / 1e6
    print(f"{chosen.pairs:,} pairs, {file.n_bytes / 1e6:.2f} MB; with one view {first:.2f}, with five {last:.2f}")
    print(f"more room: {sizes[-1] / sizes[0] - 1:.2%}; aim {AIM:.0%}")
    print(f"a view in {seconds:.2f} s, a filtered copy by polars in {copied:.2f} s: ratio {seconds / copied:.2f}")


if __name__ == "__main__":
    main()
