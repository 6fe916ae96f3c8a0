"""What staging IMDb's data sets costs, against a mere scan of the same files by DuckDB, and the memory it takes.

    python -m benchmarks.bench_imdb
    python -m benchmarks.bench_imdb --titles 10_000_000 --repeats 1

The files are made up, with the real mix (benchmarks/imdb_files.py); 10 million titles are about the whole. The scan
parses every column of every file from its .tsv.gz, one file after the other, with the settings that staging has.
"""

import argparse
import gzip
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb

from benchmarks.cost import Cost, cost_of
from benchmarks.imdb_files import write_files
from factmill.settings import settings

_MOST_RATIO, _MOST_GIGABYTES = 3, 4


def scan(folder: Path) -> None:
    """Parse every column of every file."""
    connection = duckdb.connect(config={"threads": settings().n_threads, "preserve_insertion_order": False})
    for file in sorted(folder.glob("*.tsv.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as opened:
            header = opened.readline().rstrip("\n").split("\t")
        rows = connection.read_csv(
            str(file),
            sep="\t",
            header=True,
            quotechar="",
            escapechar="",
            na_values="\\N",
            auto_detect=False,
            columns=dict.fromkeys(header, "VARCHAR"),
        )
        rows.aggregate(", ".join(f'count("{column}")' for column in header)).fetchall()


def _scan(folder: Path) -> Cost:
    return cost_of([sys.executable, "-m", "benchmarks.bench_imdb", "--scan", str(folder)])


def _stage(folder: Path, place: Path) -> Cost:
    with tempfile.TemporaryDirectory(dir=place) as home:
        return cost_of([sys.executable, "-m", "factmill", "stage", "imdb", str(folder), "--home", home])


def _print(scans: Sequence[Cost], stages: Sequence[Cost]) -> None:
    scanned, staged = (statistics.median(cost.wall for cost in costs) for costs in (scans, stages))
    scanned_cpu, staged_cpu = (statistics.median(cost.cpu for cost in costs) for costs in (scans, stages))
    peak = max(cost.peak_bytes for cost in stages) / 1e9
    print(f"scan: {scanned:.1f} s, {scanned_cpu:.1f} s of the processors")
    print(f"stage: {staged:.1f} s, {staged_cpu:.1f} s of the processors")
    print(f"ratio: {staged / scanned:.2f}, of the processors {staged_cpu / scanned_cpu:.2f}; aim {_MOST_RATIO}")
    print(f"memory: {peak:.2f} GB; aim {_MOST_GIGABYTES}")


def main(words: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure what staging IMDb's data sets costs.")
    parser.add_argument("--titles", type=int, default=2_000_000, help="how many titles to make up (%(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (%(default)s)")
    parser.add_argument("--folder", type=Path, help="where to put files and stages for a while")
    parser.add_argument("--scan", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args(words)
    if chosen.scan:
        scan(chosen.scan)
        return
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        place = Path(name)
        folder = place / "imdb"
        folder.mkdir()
        started = time.perf_counter()
        write_files(folder, chosen.titles)
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{chosen.titles:,} titles, {size / 1e6:,.0f} MB packed, made in {time.perf_counter() - started:.0f} s")
        scans, stages = [], []
        for _ in range(chosen.repeats):
            scans.append(_scan(folder))
            stages.append(_stage(folder, place))
        _print(scans, stages)


if __name__ == "__main__":
    main()
