"""IMDb: who plays whom, who directed and wrote what, when it came out, from the non-commercial data sets.

Licence: personal and non-commercial use only, not to be passed on; the pairs carry that. The files are tab-separated
without CSV quoting, and the characters of a credit are a JSON list full of quotes, so nothing may interpret them but
JSON. The files list only some of a title's cast. What they hold and what becomes of it: docs/imdb.md.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.errors import ConfigError, SourceFormatError
from factmill.facts import Finished, IdSpace, SourceInfo
from factmill.parts import NOT_ASKED_TITLE
from factmill.progress import Advance
from factmill.rejects import Rejects
from factmill.warehouse import Warehouse
from sources._imdb_files import COLUMNS, Unpacking, find_files, opened
from sources._imdb_places import read_places
from sources._imdb_questions import matched_title, named_titles
from sources._imdb_questions import named_titles as names_in_questions

if TYPE_CHECKING:
    from sources._cinemagoer import TitleMatch

__all__ = [
    "FILES",
    "INFO",
    "AskedTitles",
    "FolderReader",
    "find_files",
    "find_title",
    "matched_title",
    "named_titles",
    "names_in_questions",
    "read_places",
]

INFO = SourceInfo(name="imdb", licence="IMDb non-commercial", ids=IdSpace.TEXT, is_whole=True, gives_finished=True)
FILES = tuple(f"{name}.tsv.gz" for name in COLUMNS)
"""As IMDb names them."""

_MEGABYTES = 3_200
_MACROS = ("is_self", "spoken_character", "spoken_characters", "title_key")
_READ_INTO = {
    "title.ratings": ("imdb_votes",),
    "title.basics": ("imdb_titles", "imdb_works"),
    "title.akas": ("imdb_akas", "imdb_asked_titles"),
    "title.episode": ("imdb_episodes", "imdb_subjects", "imdb_series"),
    "title.principals": ("imdb_credits",),
    "name.basics": ("imdb_characters", "imdb_cast", "imdb_crew", "imdb_stopped", "imdb_mentions", "imdb_people"),
}
"""The tables in sql/ that each file is read into, in the order of reading."""
_NOT_USED = "not a credit for a character, directing or writing"
_LAST_NEED = {"imdb_credits": "imdb_subjects", "imdb_stopped": "imdb_credits"}
"""Large tables, by the one that is the last to need them."""
_COUNTED = ("imdb_ignored", "imdb_refused", "imdb_kinds", "imdb_figures")
_VIEWS = ("imdb_person_entities", "imdb_title_entities", "imdb_facts")
_PREDICATES = (
    "director",
    "number_of_episodes",
    "number_of_seasons",
    "plays_character_in",
    "release_year",
    "writer",
)
"""In alphabetical order, as their files are read."""
_UNNAMED = "set fate = 'the person is not in name.basics' where fate is null and nconst in (from imdb_unnamed)"
_REFUSE_UNNAMED = (f"update imdb_cast {_UNNAMED}", f"update imdb_crew {_UNNAMED}")


def find_title(folder: Path, name: str, scratch: Path) -> "tuple[TitleMatch, list[TitleMatch]]":
    """Return the best known title of this name that is no episode, and the others that are called so."""
    # Late, because cinemagoer takes long to import and is needed here only.
    from sources._cinemagoer import find_titles

    found = find_titles(folder, name, scratch=scratch)
    works = [match for match in found if match.kind != "tvEpisode"]
    if not works:
        raise ConfigError(f"{found[0]} is an episode. Name its series, with which its credits are staged.")
    return works[0], works[1:]


@dataclass(frozen=True)
class AskedTitles:
    """Which titles are wanted: with so many votes, named in a question, or by their ids. With none of these, all."""

    min_votes: int | None = None
    names: frozenset[str] | None = None
    ids: frozenset[str] = frozenset()


class FolderReader:
    """Reads the files of one folder, one after the other. Afterwards `lines` and `ignored` tell what else was there."""

    def __init__(
        self, files: dict[str, Path], asked: AskedTitles, scratch: Path, rejects: Rejects, advance: Advance
    ) -> None:
        self.lines = 0
        self.names = self.qualified_lines = 0
        self.ignored: Counter[str] = Counter()
        self.as_of: date | None = None
        self._files = files
        self._asked = asked
        self._scratch = scratch
        self._rejects = rejects
        self._advance = advance

    def __iter__(self) -> Iterator[Finished]:
        with Warehouse(
            self._scratch, megabytes=_MEGABYTES, fixed_joins=True, look=lambda: self._advance(0)
        ) as warehouse:
            for macro in _MACROS:
                warehouse.run(macro)
            names = sorted(self._asked.names or ())
            warehouse.load("named_titles", pa.table({"name": pa.array(names, pa.string())}))
            warehouse.load("chosen_titles", pa.table({"tconst": pa.array(sorted(self._asked.ids), pa.string())}))
            self._read(warehouse)
            self._refuse_unnamed(warehouse)
            self._account(warehouse)
            yield from self._finished(warehouse)

    def _read(self, warehouse: Warehouse) -> None:
        files = {name: self._files[name] for name in _READ_INTO if name in self._files}
        with Unpacking(files, self._scratch) as unpacking:
            for name, tables in _READ_INTO.items():
                n_refused = self._rejects.total
                with opened(warehouse, name, files.get(name), unpacking, self._rejects) as n_rows:
                    for table in tables:
                        self._run(warehouse, table)
                if name in files:
                    self._advance(files[name].stat().st_size)
                if name == "title.principals":
                    self.lines = n_rows
                    n_kept = warehouse.count("imdb_credits") + self._rejects.total - n_refused
                    self.ignored[_NOT_USED] = n_rows - n_kept

    def _check_that_titles_differ(self, warehouse: Warehouse) -> None:
        """Make sure that no join has made two rows of one."""
        n_titles = warehouse.count("imdb_titles")
        if warehouse.query("from imdb_titles where is_again limit 1").num_rows:
            raise _stands_twice(self._files["title.basics"])
        if warehouse.count("imdb_subjects") != n_titles:
            raise _stands_twice(self._files["title.episode"])

    def _run(self, warehouse: Warehouse, table: str) -> None:
        by_questions = self._asked.names is not None
        parameters: dict[str, dict[str, Any]] = {
            "imdb_asked_titles": {"min_votes": self._asked.min_votes, "by_questions": by_questions},
            "imdb_credits": {"not_asked": NOT_ASKED_TITLE},
        }
        warehouse.run(table, **parameters.get(table, {}))
        if table == "imdb_subjects":
            self._check_that_titles_differ(warehouse)
        if used := _LAST_NEED.get(table):
            warehouse.execute(f"drop table {used}")

    def _refuse_unnamed(self, warehouse: Warehouse) -> None:
        """Take people out who are not in name.basics."""
        warehouse.run("imdb_unnamed")
        n_unnamed = warehouse.count("imdb_unnamed")
        if warehouse.count("imdb_people") + n_unnamed != warehouse.count("imdb_mentions"):
            raise _stands_twice(self._files["name.basics"])
        if n_unnamed:
            for statement in _REFUSE_UNNAMED:
                warehouse.execute(statement)

    def _account(self, warehouse: Warehouse) -> None:
        """Count what is left and what is ignored, and keep what is refused."""
        for table in (*_COUNTED, *_VIEWS):
            warehouse.run(table)
        for row in warehouse.query("from imdb_ignored").to_pylist():
            self.ignored[row["fate"]] += row["n"]
        self.ignored = +self.ignored
        for batch in warehouse.batches("from imdb_refused"):
            for row in batch.to_pylist():
                self._rejects.add(row["fate"], row["text"] or "", row["place"])

    def _finished(self, warehouse: Warehouse) -> Iterator[Finished]:
        # People are nm…, titles tt…: the files are in the order of ids.
        yield Finished("entities", self._write(warehouse, "imdb_person_entities"))
        warehouse.execute("drop table imdb_people cascade")
        yield Finished("entities", self._write(warehouse, "imdb_title_entities"))
        warehouse.execute("drop table imdb_akas cascade")
        kinds, figures = _kinds(warehouse), _figures(warehouse)
        n_expected = sum(kinds.values())
        for predicate in _PREDICATES:
            path = self._write(warehouse, "imdb_facts", predicate)
            n_expected -= pq.read_metadata(path).num_rows
            yield Finished("facts", path, kinds, figures)
            kinds = {}
        if n_expected:
            raise SourceFormatError(f"{n_expected:,} facts were counted and not written. Nothing was staged.")

    def _write(self, warehouse: Warehouse, table: str, predicate: str | None = None) -> Path:
        path = self._scratch / f"{predicate or table}.parquet"
        warehouse.copy_to_parquet(table, path, predicate)
        return path


def _stands_twice(file: Path) -> SourceFormatError:
    return SourceFormatError(f"{file} has an id twice. Nothing was staged; fetch the file again.")


def _kinds(warehouse: Warehouse) -> dict[str, int]:
    return {row["kind"]: row["n"] for row in warehouse.query("from imdb_kinds").to_pylist() if row["n"]}


def _figures(warehouse: Warehouse) -> dict[str, float]:
    (row,) = warehouse.query("from imdb_figures").to_pylist()
    return {name: round(float(figure), 3) for name, figure in row.items() if figure is not None}
