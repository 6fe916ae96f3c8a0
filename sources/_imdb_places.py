"""IMDb's places read back: the rows of a credit, of a title, of a series' episodes.

A place names ids, not a byte: IMDb's files change every day and are one gzip member, so a row is looked for from the
beginning of its file. Their rows are in the order of the title's id, so a block is searched only for the ids that can
be in it; where a file turns out not to be in order, all of it is searched for what is left.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyarrow as pa

from factmill.dumpfile import Window, read_chunks
from factmill.errors import SourceError
from factmill.inputs import Inputs
from factmill.lineblocks import LineBlocks
from factmill.places import Claim, Place, Reading, Readings, shown, unreadable
from factmill.settings import settings
from factmill.warehouse import Warehouse

_BLOCK_BYTES = 4 << 20
_MAX_LINE_BYTES = 4 << 20
_FILES = {"title.principals": 3, "title.basics": 1, "title.episode": 1}
"""The files that places name, and how many ids follow."""
_ROLES = {"actor": "plays_character_in", "actress": "plays_character_in", "director": "director", "writer": "writer"}
_MOST_SHOWN = 3
_MOST_TO_LOOK_FOR = 16
"""Ids that are each looked for in a block; with more, each of its lines is looked at."""
_MACROS = ("spoken_character", "spoken_characters", "is_self")


class _Row(NamedTuple):
    """A row, and its fields by the names in the header."""

    line: bytes
    fields: dict[str, str]


Wanted = dict[Place, list[str]]
"""Places with the ids in them."""
Rows = dict[str, list[_Row]]
"""Rows by an id in them."""


def read_places(places: Iterable[Place], inputs: Inputs) -> Readings:
    """Return what stands at each place."""
    found: Readings = {}
    wanted: dict[str, Wanted] = defaultdict(dict)
    for place in places:
        found[place] = []
        name, *ids = place.text.split("/")
        if _FILES.get(name) == len(ids):
            wanted[name][place] = ids
    episodes = _path("title.episode", inputs)
    for name, ids_of in wanted.items():
        path = _path(name, inputs)
        unread, readings = Reading(name, "", unread=str(path)), {}
        if isinstance(path, Path):
            try:
                readings = _READERS[name](path, ids_of, episodes)
            except (SourceError, OSError) as error:
                unread = unreadable(path, error)
        for place in ids_of:
            found[place].append(readings.get(place, unread))
    return found


def _path(name: str, inputs: Inputs) -> Path | str:
    """Return where the file of this name is, or what became of it."""
    for file in inputs.files:
        if file.name in (f"{name}.tsv.gz", f"{name}.tsv"):
            return file.path or file.missing
    missing = next((file.missing for file in inputs.files if file.path is None), "")
    return missing or f"{name} is not among the files."


def _credits(path: Path, wanted: Wanted, episodes: Path | str) -> dict[Place, Reading]:
    rows = _find(path, "tconst", {ids[0] for ids in wanted.values()})
    chosen: dict[Place, _Row] = {}
    for place, (title, person, ordering) in wanted.items():
        for row in rows.get(title, []):
            if (row.fields.get("nconst"), row.fields.get("ordering")) == (person, ordering):
                chosen[place] = row
    series: dict[str, str] = {}
    if not isinstance(episodes, str):
        found = _find(episodes, "tconst", {ids[0] for ids in wanted.values()})
        series = {title: row.fields.get("parentTconst", "") for title, of_title in found.items() for row in of_title}
    characters = _characters({place: row.fields.get("characters", "\\N") for place, row in chosen.items()})
    return {
        place: _credit(path, ids, chosen.get(place), series.get(ids[0]), characters.get(place, []))
        for place, ids in wanted.items()
    }


def _credit(path: Path, ids: list[str], row: _Row | None, series: str | None, characters: list[str]) -> Reading:
    title, person, ordering = ids
    where = f"{title}, {person}, ordering {ordering}"
    predicate = _ROLES.get(row.fields.get("category", "")) if row else None
    if row is None or predicate is None:
        return Reading(str(path), where, (shown(row.line),) if row else ())
    named: list[tuple[tuple[str, str], ...]] = [(("character", character),) for character in characters]
    claims = [
        Claim(subject, predicate, person, qualifiers)
        for subject in (series, title)
        for qualifiers in (named if predicate == "plays_character_in" else [()])
        if subject
    ]
    return Reading(str(path), where, (shown(row.line),), tuple(claims))


def _characters(written: dict[Place, str]) -> dict[Place, list[str]]:
    """Return the characters of credits as they are staged: the statements that staging runs say which."""
    places = sorted(written)
    columns = {
        "subject_no": pa.array(range(len(places)), pa.int32()),
        "role": pa.array(["acts"] * len(places), pa.string()),
        "first_no": pa.array(range(len(places)), pa.int64()),
        "nconst": pa.array([""] * len(places), pa.string()),
        "characters": pa.array([written[place] for place in places], pa.string()),
        "fate": pa.nulls(len(places), pa.string()),
    }
    found: dict[Place, list[str]] = defaultdict(list)
    with TemporaryDirectory(prefix="factmill-") as scratch, Warehouse(Path(scratch)) as warehouse:
        for macro in _MACROS:
            warehouse.run(macro)
        warehouse.load("imdb_credits", pa.table(columns))
        warehouse.run("imdb_characters")
        for row in warehouse.query("from imdb_characters where fate is null").to_pylist():
            found[places[row["subject_no"]]].append(row["character"])
    return found


def _titles(path: Path, wanted: Wanted, episodes: Path | str) -> dict[Place, Reading]:
    rows = _find(path, "tconst", {ids[0] for ids in wanted.values()})
    readings = {}
    for place, (title,) in wanted.items():
        row = next(iter(rows.get(title, [])), None)
        claims = (Claim(title, "release_year", row.fields.get("startYear", "")),) if row else ()
        readings[place] = Reading(str(path), title, (shown(row.line),) if row else (), claims)
    return readings


def _series(path: Path, wanted: Wanted, episodes: Path | str) -> dict[Place, Reading]:
    """Count the episodes of series again: only those with a season count."""
    rows = _find(path, "parentTconst", {ids[0] for ids in wanted.values()})
    readings = {}
    for place, (series,) in wanted.items():
        counted = [row for row in rows.get(series, []) if _season(row) > 0]
        lines = [shown(row.line) for row in counted[:_MOST_SHOWN]]
        n_seasons = len({_season(row) for row in counted})
        claims = (
            Claim(series, "number_of_episodes", str(len(counted))),
            Claim(series, "number_of_seasons", str(n_seasons)),
        )
        where = f"{len(counted):,} rows of {series} in {n_seasons:,} seasons"
        readings[place] = Reading(str(path), where, tuple(lines), claims if counted else ())
    return readings


_READERS = {"title.principals": _credits, "title.basics": _titles, "title.episode": _series}


def _season(row: _Row) -> int:
    text = row.fields.get("seasonNumber", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _find(path: Path, column: str, ids: set[str]) -> Rows:
    """Return the rows whose column holds one of these ids."""
    wanted = {identifier.encode() for identifier in ids}
    rows: Rows = defaultdict(list)
    is_sorted = column == "tconst" and _search(path, column, wanted, rows, only_where_they_can_be=True)
    if not is_sorted:
        rows.clear()
    if left := {identifier for identifier in wanted if identifier.decode() not in rows}:
        _search(path, column, left, rows, only_where_they_can_be=False)
    return rows


def _search(path: Path, column: str, ids: set[bytes], rows: Rows, *, only_where_they_can_be: bool) -> bool:
    """Look for ids in all blocks, or in those whose first and last row enclose them; tell if blocks are in order."""
    names: list[str] = []
    last = b""
    is_sorted = True
    for data in _blocks(path):
        if not names:
            header, _, data = data.partition(b"\n")
            names = header.decode("utf-8-sig", "replace").rstrip("\r").split("\t")
            if column not in names:
                break
        here = ids
        if only_where_they_can_be:
            begun, ended = _first_field(data), _first_field(data[data.rfind(b"\n", 0, len(data) - 1) + 1 :])
            is_sorted = is_sorted and last <= begun <= ended
            last = ended
            here = {identifier for identifier in ids if begun <= identifier <= ended}
        for line in _lines_with(data, here, names.index(column)):
            fields = dict(zip(names, shown(line).split("\t"), strict=False))
            rows[fields[column]].append(_Row(line, fields))
    return is_sorted


def _blocks(path: Path) -> Iterator[bytes]:
    window = Window(0, path.stat().st_size)
    chunks = read_chunks(path, window, settings().max_expansion)
    for block in LineBlocks(_BLOCK_BYTES, _MAX_LINE_BYTES).of(chunks, window):
        yield block.data[: block.n_bytes]


def _first_field(data: bytes) -> bytes:
    return data[: data.find(b"\t")] if b"\t" in data else b""


def _lines_with(data: bytes, ids: set[bytes], position: int) -> Iterator[bytes]:
    """Yield each line whose field at this position is one of these ids."""
    if len(ids) > _MOST_TO_LOOK_FOR:
        for line in data.split(b"\n"):
            if not ids.isdisjoint(line.split(b"\t", position + 1)[position : position + 1]):
                yield line.removesuffix(b"\r")
        return
    for identifier in sorted(ids):
        start = 0
        while (found := data.find(identifier, start)) >= 0:
            begun, ended = data.rfind(b"\n", 0, found) + 1, data.find(b"\n", found)
            start = ended if ended >= 0 else len(data)
            line = data[begun:start]
            if line.split(b"\t", position + 1)[position : position + 1] == [identifier]:
                yield line.removesuffix(b"\r")
