"""Indexing again after one percent of a shard has changed, against indexing it from nothing.

python -m benchmarks.bench_reindex                          # 200,000 pairs, the static encoder
python -m benchmarks.bench_reindex --encoder minilm         # takes some minutes
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.question_corpus import write_shard
from factmill.home import Home
from factmill.index_files import IndexFolder
from factmill.steps import index_corpus

AIM = 0.05
_CHANGED = 100
"""One in so many pairs changes: half of these are retired, as many are new."""


def main(words: Sequence[str] | None = None) -> None:
    """Print both times, their ratio, and whether the digests are equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--encoder", default="static")
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        changed = chosen.pairs // _CHANGED
        once = _home(folder / "once", range(changed, chosen.pairs + changed))
        again = _home(folder / "again", range(chosen.pairs))
        _index(again, chosen.encoder)
        shard = write_shard(again, 0, range(changed, chosen.pairs + changed))
        updated, n_encoded = _index(again, chosen.encoder)
        from_nothing, _ = _index(once, chosen.encoder)
        digests = set()
        for home in (once, again):
            manifest = IndexFolder.of(home, chosen.encoder, shard).manifest()
            digests.add(manifest.digest if manifest else None)
        print(f"{chosen.pairs:,} pairs, {n_encoded:,} of them new: {updated:.2f} s, from nothing {from_nothing:.2f} s")
        print(f"ratio: {updated / from_nothing:.3f}; aim {AIM}. Digests equal: {len(digests) == 1}")


def _home(root: Path, numbers: range) -> Home:
    home = Home.open(root, create=True)
    write_shard(home, 0, numbers)
    return home


def _index(home: Home, encoder: str) -> tuple[float, int]:
    started = time.perf_counter()
    (done,) = index_corpus(home, encoder=encoder)
    return time.perf_counter() - started, done.n_encoded


if __name__ == "__main__":
    main()
