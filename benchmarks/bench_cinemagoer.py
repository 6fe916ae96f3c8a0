"""What `factmill stage imdb` takes, against cinemagoer's own import of the same files into SQLite, and what each keeps.

    python -m benchmarks.bench_cinemagoer
    python -m benchmarks.bench_cinemagoer --titles 10000 --repeats 1

Figures are medians of runs that take turns in one process. Then one title is looked up among all of them.
"""

import argparse
import gzip
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from imdb import VERSION
from imdb.parser.s3.importer import import_dir

from factmill.home import Home
from factmill.stage import stage_imdb
from sources._cinemagoer import find_titles

_PRINCIPALS_A_TITLE = 6
_CATEGORIES = ("actor", "actress", "actor", "director", "writer", "producer")
_KINDS = ("movie", "tvEpisode", "short", "tvSeries", "tvEpisode", "video", "tvEpisode", "tvMovie")
_WORDS = ("Night", "River", "Story", "Love", "King", "House", "Last", "Summer", "Red", "Garden", "Étoile")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both times, their ratio, and how many characters each has kept."""
    parser = argparse.ArgumentParser(description="Stage IMDb's files and import them with cinemagoer.")
    parser.add_argument("--titles", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        folder = scratch / "imdb"
        n_characters = write_files(folder, options.titles)
        n_credits = options.titles * _PRINCIPALS_A_TITLE
        print(f"{options.titles:,} titles, {n_credits:,} credits, {n_characters:,} characters")
        theirs, ours = [], []
        for repeat in range(options.repeats):
            theirs.append(Run.of(partial(_import, folder, scratch / f"{repeat}.db")))
            ours.append(Run.of(partial(_stage, folder, scratch / f"home{repeat}")))
        _print(f"cinemagoer {VERSION}", theirs)
        _print("factmill stage imdb", ours)
        wall = median(run.wall for run in theirs) / median(run.wall for run in ours)
        cpu = median(run.cpu for run in theirs) / median(run.cpu for run in ours)
        print(f"factmill is {wall:.1f} times as fast on the clock, {cpu:.1f} times in processor time")
        looked_up = Run.of(lambda: len(find_titles(folder, _title(7), scratch=scratch)))
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
    print(f"{who}: {wall:.1f} s, {cpu:.1f} s of the processors, {runs[0].n:,} characters kept")


def _stage(folder: Path, home: Path) -> int:
    return stage_imdb(Home.open(home, create=True), folder, "en").stage.manifest.facts


def _import(folder: Path, database: Path) -> int:
    import_dir(str(folder), f"sqlite:///{database}")
    with closing(sqlite3.connect(database)) as connection:
        ((n,),) = connection.execute("select count(characters) from title_principals").fetchall()
    return int(n)


def write_files(folder: Path, n_titles: int) -> int:
    """Write files of so many titles, the same every time; return the number of characters in them.

    As in IMDb's own there is about one person a title, half of the credits name a character, a few name two, and one
    title in eight was rated.
    """
    folder.mkdir()
    n_characters = 0
    basics, played_by, ratings, names = [], [], [], []
    for number in range(n_titles):
        title, kind, year = _title(number), _KINDS[number % len(_KINDS)], 1950 + number % 75
        basics.append(f"tt{number:07}\t{kind}\t{title}\t{title}\t0\t{year}\t\\N\t{number % 180}\tDrama,Comedy")
        names.append(f"nm{number:07}\tGiven{number % 997} Family{number}\t{year - 30}\t\\N\tactor\ttt{number:07}")
        if number % 8 == 0:
            ratings.append(f"tt{number:07}\t7.1\t{5 + number * 7919 % 90_000}")
        for ordering in range(_PRINCIPALS_A_TITLE):
            person = (number * 31 + ordering * 7919) % n_titles
            category = _CATEGORIES[ordering]
            played = _characters(number, ordering) if category.startswith("act") else []
            n_characters += len(played)
            written = json.dumps(played, ensure_ascii=False, separators=(",", ":")) if played else "\\N"
            played_by.append(f"tt{number:07}\t{ordering + 1}\tnm{person:07}\t{category}\t\\N\t{written}")
    headers = {
        "title.basics": "tconst titleType primaryTitle originalTitle isAdult startYear endYear runtimeMinutes genres",
        "title.principals": "tconst ordering nconst category job characters",
        "title.ratings": "tconst averageRating numVotes",
        "name.basics": "nconst primaryName birthYear deathYear primaryProfession knownForTitles",
    }
    for (name, header), rows in zip(headers.items(), (basics, played_by, ratings, names), strict=True):
        with gzip.open(folder / f"{name}.tsv.gz", "wt", encoding="utf-8", compresslevel=1) as file:
            file.write("\n".join([header.replace(" ", "\t"), *rows, ""]))
    return n_characters


def _title(number: int) -> str:
    words = (_WORDS[number % 11], _WORDS[number // 11 % 11], str(number // 121))
    return " ".join(("The", *words) if number % 3 == 0 else words)


def _characters(number: int, ordering: int) -> list[str]:
    spoken = f'{_WORDS[(number + ordering) % 11]} "Nick" Person{number % 5000}'
    return [spoken, f"Narrator {ordering}"] if number % 25 == 0 else [spoken]


if __name__ == "__main__":
    main()
