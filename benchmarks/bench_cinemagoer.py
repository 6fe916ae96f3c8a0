"""What `factmill stage imdb` takes, against cinemagoer's own import of the same files into SQLite, and what each keeps.

    python -m benchmarks.bench_cinemagoer
    python -m benchmarks.bench_cinemagoer --titles 10000 --repeats 1

Figures are medians of runs that take turns in one process. Then one title is looked up among all of them.
"""

import argparse
import gzip
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pyarrow.compute as pc
import pyarrow.parquet as pq
from imdb import VERSION
from imdb.parser.s3.importer import import_dir

from benchmarks.imdb_files import write_files
from factmill.home import Home
from factmill.stage import stage_imdb
from sources._cinemagoer import find_titles


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both times, their ratio, and how much of who plays whom each has kept."""
    parser = argparse.ArgumentParser(description="Stage IMDb's files and import them with cinemagoer.")
    parser.add_argument("--titles", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        folder = scratch / "imdb"
        folder.mkdir()
        write_files(folder, options.titles)
        print(f"{options.titles:,} titles")
        theirs, ours = [], []
        for repeat in range(options.repeats):
            theirs.append(Run.of(partial(_import, folder, scratch / f"{repeat}.db")))
            ours.append(Run.of(partial(_stage, folder, scratch / f"home{repeat}")))
        _print(f"cinemagoer {VERSION}", theirs)
        _print("factmill stage imdb", ours)
        wall = median(run.wall for run in theirs) / median(run.wall for run in ours)
        cpu = median(run.cpu for run in theirs) / median(run.cpu for run in ours)
        print(f"factmill is {wall:.1f} times as fast on the clock, {cpu:.1f} times in processor time")
        name = _any_title(folder)
        looked_up = Run.of(lambda: len(find_titles(folder, name, scratch=scratch)))
        print(f"one title looked up by name in {looked_up.wall:.2f} s")


class Run(NamedTuple):
    """Seconds on the clock, seconds of the processors, and what the work counted."""

    wall: float
    cpu: float
    n: int

    @classmethod
    def of(cls, work: Callable[[], int]) -> "Run":
        """Do the work."""
        wall, cpu = time.perf_counter(), time.process_time()
        n = work()
        return cls(time.perf_counter() - wall, time.process_time() - cpu, n)


def _print(who: str, runs: Sequence[Run]) -> None:
    wall, cpu = median(run.wall for run in runs), median(run.cpu for run in runs)
    print(f"{who}: {wall:.1f} s, {cpu:.1f} s of the processors, {runs[0].n:,} facts with a character")


def _any_title(folder: Path) -> str:
    with gzip.open(folder / "title.basics.tsv.gz", "rt", encoding="utf-8") as file:
        rows = (line.split("\t") for line in file)
        return next(title for _, kind, title, *_ in rows if kind == "movie")


def _stage(folder: Path, home: Path) -> int:
    stage = stage_imdb(Home.open(home, create=True), folder, "en").stage
    predicates = pq.read_table(stage.facts, columns=["predicate"])["predicate"]
    return int(pc.sum(pc.equal(predicates, "plays_character_in")).as_py())


def _import(folder: Path, database: Path) -> int:
    import_dir(str(folder), f"sqlite:///{database}")
    with closing(sqlite3.connect(database)) as connection:
        ((n,),) = connection.execute("select count(characters) from title_principals").fetchall()
    return int(n)


if __name__ == "__main__":
    main()
