"""Looks up a title of IMDb by its name, with cinemagoer's reading of names, its import and its search.

cinemagoer (imported as `imdb`) searches an SQL database that it fills from IMDb's files. Ten million titles would take
it half an hour, so DuckDB picks those that may be meant and cinemagoer gets only them. Nothing here uses the network.
The surprise: its search misses titles whose article was left out and knows nothing of votes (docs/decisions.md), so it
orders what DuckDB found and never takes anything away.
"""

import gzip
import logging
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import duckdb
import pyarrow as pa

from factmill.errors import ConfigError, SourceFormatError
from factmill.warehouse import Warehouse
from sources._imdb_files import by_plain_name, find_files

_COLUMNS = {
    "title.basics": ["tconst", "titleType", "primaryTitle", "originalTitle", "startYear"],
    "title.akas": ["titleId", "title"],
    "title.ratings": ["tconst", "numVotes"],
}
_N_NEAR = 5
_SHOWN_CHARACTERS = 80


@dataclass(frozen=True)
class TitleMatch:
    """A title that is called what was asked for; `kind` is in IMDb's words, such as tvSeries."""

    tconst: str
    title: str
    year: int | None
    kind: str | None
    votes: int | None

    def __str__(self) -> str:
        about = ", ".join(str(part) for part in (self.year, self.kind, self.tconst) if part is not None)
        return f"{self.title} ({about})"


def find_titles(folder: Path, name: str, *, limit: int = 10, scratch: Path) -> list[TitleMatch]:
    """Return the titles of this name in a folder of IMDb's files, best match first.

    Case, accents, punctuation and a leading "the" do not matter; alternative titles count; "Heat (1995)" asks for a
    year. Titles with the very article that was asked for come first, then the best known.
    """
    files = find_files(folder)
    asked = _Asked.read(name)
    with Warehouse(scratch) as warehouse:
        try:
            _open(warehouse, files, scratch)
            warehouse.run("imdb_same_titles", whole=asked.name, title=asked.title, year=asked.year)
            if same := warehouse.query("from imdb_same_titles").to_pylist():
                return _ordered(same, asked, scratch)[:limit]
            warehouse.run("imdb_near_titles", title=asked.title)
            near = warehouse.query("from imdb_near_titles").to_pylist()
        except duckdb.Error as error:
            raise _unreadable("one of IMDb's files", error) from error
    raise ConfigError(_not_found(folder, asked, near, scratch))


@dataclass(frozen=True)
class _Asked:
    """A name as it was given, and what cinemagoer reads in it."""

    name: str
    title: str
    year: int | None

    @classmethod
    def read(cls, name: str) -> "_Asked":
        name = " ".join(name.split())
        if not name:
            raise ConfigError('give the name of a title, such as "the big lebowski" or "Heat (1995)".')
        if name.encode(errors="replace").decode() != name:
            raise ConfigError(f"the name {name[:_SHOWN_CHARACTERS]!a} is not UTF-8. Type it again.")
        with _quiet_cinemagoer():
            from imdb import IMDbError
            from imdb.utils import analyze_title, normalizeTitle

            try:
                read = analyze_title(name)
            except IMDbError:
                return cls(name, name, None)
            return cls(name, normalizeTitle(read["title"]), read.get("year"))

    def has_the(self) -> bool:
        return self.title.lower().startswith("the ")


def _open(warehouse: Warehouse, files: dict[str, Path], scratch: Path) -> None:
    warehouse.run("title_key")
    for name, columns in _COLUMNS.items():
        table = name.replace(".", "_")
        if name not in files:
            warehouse.load(table, pa.table({column: pa.array([], pa.string()) for column in columns}))
            continue
        try:
            found = warehouse.tsv_view(table, by_plain_name(files[name], scratch))
        except (OSError, EOFError, ValueError) as error:
            raise _unreadable(str(files[name]), error) from error
        if missing := [column for column in columns if column not in found]:
            raise SourceFormatError(f"{files[name]} lacks the column {missing[0]}; is this IMDb's file?")


def _ordered(found: Sequence[dict[str, Any]], asked: _Asked, scratch: Path) -> list[TitleMatch]:
    """Put titles of one name into order: the article, votes, cinemagoer's order.

    Whoever leaves "the" out may mean a title with it; whoever says it means it.
    """
    ranks = _ranks(found, asked.name, scratch)

    def order(position: int) -> tuple[bool, bool, int, int]:
        row = found[position]
        has_the = any(spelling.lower().startswith("the ") for spelling in row["spellings"])
        # Of common names such as "Pilot" there are hundreds of episodes, which are staged with their series.
        is_episode = row["kind"] == "tvEpisode"
        return is_episode, asked.has_the() and not has_the, -(row["votes"] or 0), ranks[position]

    return [_match(found[position]) for position in sorted(range(len(found)), key=order)]


def _match(row: dict[str, Any]) -> TitleMatch:
    return TitleMatch(row["tconst"], row["title"], row["year"], row["kind"], row["votes"])


def _ranks(found: Sequence[dict[str, Any]], name: str, scratch: Path) -> list[int]:
    """Say at which place cinemagoer answers with each title; those that it does not find come last."""
    with _quiet_cinemagoer(), TemporaryDirectory(dir=scratch) as folder:
        from imdb import IMDb
        from imdb.parser.s3.importer import SQLiteImporter

        database = Path(folder) / "titles.db"
        with closing(SQLiteImporter(str(database))) as importer:
            for file in _write_files(found, Path(folder)):
                importer.import_file(str(file))
        movies = IMDb("s3", uri=f"sqlite:///{quote(str(database))}").search_movie(name, results=len(found))
    places = {movie.movieID: place for place, movie in enumerate(movies)}
    return [places.get(number, len(found)) for number in range(1, len(found) + 1)]


def _write_files(found: Sequence[dict[str, Any]], folder: Path) -> Iterator[Path]:
    """Write the titles as cinemagoer reads them.

    It keeps ids as numbers, so it gets our row numbers. It never searches original titles, so they go with the
    alternative ones.
    """
    numbered = [(f"tt{number}", row) for number, row in enumerate(found, 1)]
    basics = [(id_, row["kind"], row["title"], row["year"]) for id_, row in numbered]
    yield _write(folder / "title.basics.tsv.gz", ["tconst", "titleType", "primaryTitle", "startYear"], basics)
    akas = [(id_, spelling, 0) for id_, row in numbered for spelling in row["spellings"]]
    yield _write(folder / "title.akas.tsv.gz", ["titleId", "title", "isOriginalTitle"], akas)


def _write(file: Path, header: list[str], rows: Sequence[tuple[Any, ...]]) -> Path:
    with gzip.open(file, "wt", encoding="utf-8", newline="\n", compresslevel=1) as opened:
        for row in [header, *rows]:
            opened.write("\t".join(r"\N" if value is None else str(value) for value in row) + "\n")
    return file


@contextmanager
def _quiet_cinemagoer() -> Iterator[None]:
    """Let cinemagoer neither print nor leave a trace in the logging of whoever calls us.

    It adds a handler when it is imported, and logs every error of its own as critical, even one that is caught.
    """
    logger = logging.getLogger("imdbpy")
    handlers, was_disabled = list(logger.handlers), logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.handlers[:] = handlers
        logger.disabled = was_disabled


def _not_found(folder: Path, asked: _Asked, near: Sequence[dict[str, Any]], scratch: Path) -> str:
    shown = asked.name if len(asked.name) <= _SHOWN_CHARACTERS else asked.name[:_SHOWN_CHARACTERS] + "…"
    said = f"no title in {folder} is called {shown!r}."
    if not near:
        return f"{said} Give the name as IMDb writes it, or fetch newer files."
    ranks = _ranks(near, asked.title, scratch)
    nearest = [str(_match(near[position])) for position in sorted(range(len(near)), key=ranks.__getitem__)]
    return f"{said} Did you mean {'; '.join(nearest[:_N_NEAR])}?"


def _unreadable(what: str, error: Exception) -> SourceFormatError:
    reason = str(error).strip().splitlines()[0]
    return SourceFormatError(f"{what} cannot be read: {reason[:300]}. Fetch the files again.")
