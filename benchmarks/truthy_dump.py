"""Write a made-up dump in the form and the mix of Wikidata's latest-truthy.nt.gz, for benchmarks.

    python benchmarks/truthy_dump.py truthy.nt.gz --raw-bytes 2_000_000_000

The same size and seed give the same bytes, whatever the number of processes. It leaves out sitelinks and articles, and
ids are spread over the real range, so most items that a statement points to are not in the dump themselves.
"""

import argparse
import gzip
import multiprocessing
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.truthy_entities import MEAN_ENTITY_BYTES, draw_ids, entity_texts
from benchmarks.truthy_figures import DumpFigures, count
from benchmarks.truthy_values import MAX_ID

MEMBER_RAW_BYTES = 32_000_000


class Member(NamedTuple):
    """One gzip member, and what stands in it."""

    compressed: bytes
    figures: DumpFigures


def write_dump(
    path: Path, raw_bytes: int, *, seed: int = 0, processes: int = 2, member_raw_bytes: int = MEMBER_RAW_BYTES
) -> DumpFigures:
    """Write a dump of about this size and return what was counted in it."""
    n_members = max(1, round(raw_bytes / member_raw_bytes))
    make = partial(_member, n_members=n_members, raw_bytes=raw_bytes // n_members, seed=seed)
    figures = DumpFigures()
    unfinished = path.with_name(f"{path.name}.part")
    with unfinished.open("wb") as file:
        for member in _in_order(make, n_members, processes):
            file.write(member.compressed)
            figures.add(member.figures)
    unfinished.rename(path)
    return figures


def _in_order(make: Callable[[int], Member], n_members: int, processes: int) -> Iterator[Member]:
    if processes == 1:
        yield from map(make, range(n_members))
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(make, range(n_members))


def _member(number: int, *, n_members: int, raw_bytes: int, seed: int) -> Member:
    """Return the member of this number, which has its own range of ids and its own chance."""
    chance = np.random.default_rng((seed, number))
    low, high = (max(1, MAX_ID * place // n_members) for place in (number, number + 1))
    # Some more than needed, as entities differ in size.
    ids = draw_ids(chance, low, high, int(raw_bytes / MEAN_ENTITY_BYTES * 1.1) + 50)
    texts: list[str] = []
    size = 0
    for text in entity_texts(chance, ids):
        texts.append(text)
        size += len(text)
        if size >= raw_bytes:
            break
    raw = "".join(texts).encode("ascii")
    compressed = gzip.compress(raw, compresslevel=6, mtime=0)
    return Member(compressed, count(raw, len(compressed)))


def main() -> None:
    """Write a dump, print what stands in it and how long it took."""
    parser = argparse.ArgumentParser(description="Write a made-up truthy dump of Wikidata.")
    parser.add_argument("path", type=Path, help="the file to write, such as truthy.nt.gz")
    parser.add_argument("--raw-bytes", type=int, default=500_000_000, help="size before compression (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives another dump (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="worker processes (%(default)s)")
    parser.add_argument("--member-raw-bytes", type=int, default=MEMBER_RAW_BYTES, help="a gzip member (%(default)s)")
    chosen = parser.parse_args()
    started = time.perf_counter()
    figures = write_dump(**vars(chosen))
    seconds = time.perf_counter() - started
    print("\n".join(figures.table()))
    print(f"{seconds:.1f} s with {chosen.processes} processes: {figures.raw_bytes / seconds / 1e6:.0f} MB raw/s")


if __name__ == "__main__":
    main()
