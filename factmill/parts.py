"""Parts: what reading one window of an input leaves behind, whole or not at all.

    facts/00003-000.parquet     facts, sorted by predicate where the source is a dump
    entities/00003-000.parquet  entities, where the source makes this table itself
    about/00003-000.parquet     what is said about entities, sorted by id; gone when the snapshot is finished
    pointers/00003-000.parquet  how many facts point to each entity, sorted by id; gone when the snapshot is finished
    rejects/00003.jsonl         what was refused
    parts/00003.json            counts; written last, so where it stands the part is whole
    parts/windows               where the windows begin; other windows have other parts
    pages/                      answers of an endpoint, as it gave them; gone when the snapshot is finished
    begun                       when the first run began, where that matters; gone when the snapshot is finished

A run that was interrupted leaves its finished parts, and the next one reads only the missing windows.
"""

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, ValidationError

from factmill.facts import DUMP_PLACE, Batch, Finished, IdSpace, Role
from factmill.home import write_atomically
from factmill.progress import Advance
from factmill.rejects import Rejects

NOT_ASKED = "a property that was not asked for"
NOT_ASKED_TITLE = "a title that was not asked for"
"""Why a reader ignores a fact that would be one otherwise."""

PAGES = "pages"
BEGUN = "begun"
# The notes first, so that none of them ever stands for a part that is not whole.
_FOLDERS = ("parts", "facts", "about", "pointers", "rejects")
_FACT_GROUP_ROWS = 128 * 1024
_ABOUT_GROUP_ROWS = 64 * 1024
# The rows of a file are spread over all ids, and a range of them has few rows in each file.
_POINTER_GROUP_ROWS = 8 * 1024
_DELTA = "DELTA_BINARY_PACKED"


class Reader(Protocol):
    """What a source gives to be staged: batches or finished tables, and afterwards what else it saw."""

    ignored: Counter[str]
    qualified_lines: int
    """Lines that became facts with qualifiers, one or several to a fact."""

    @property
    def lines(self) -> int:
        """Count the lines or rows read."""

    @property
    def names(self) -> int:
        """Count those that gave a name or a description, where every line is counted."""

    @property
    def as_of(self) -> date | None:
        """Return the day of the last change in the input, where it is known."""

    def __iter__(self) -> Iterator[Batch | Finished]: ...


class OpenReader(Protocol):
    """A call that opens a window."""

    def __call__(self, rejects: Rejects, advance: Advance) -> Reader:
        """Return a reader that tells what it refuses and how far it is."""


class PartSource(NamedTuple):
    """What one part is read from: how it is opened, and how much of the input it takes, in the input's unit."""

    open_reader: OpenReader
    size: int = 0


class Part(BaseModel):
    """What became of the lines of a window."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lines: int = 0
    names: int = 0
    qualified_facts: int = 0
    qualified_lines: int = 0
    facts_by_kind: Counter[str] = Counter()
    ignored: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    figures: dict[str, float] = {}
    as_of: date | None = None

    def __add__(self, other: "Part") -> "Part":
        return Part(
            lines=self.lines + other.lines,
            names=self.names + other.names,
            qualified_facts=self.qualified_facts + other.qualified_facts,
            qualified_lines=self.qualified_lines + other.qualified_lines,
            facts_by_kind=self.facts_by_kind + other.facts_by_kind,
            ignored=self.ignored + other.ignored,
            rejected=self.rejected + other.rejected,
            figures=self.figures | other.figures,
            as_of=max(filter(None, (self.as_of, other.as_of)), default=None),
        )


class PartsFolder:
    """A folder of parts."""

    def __init__(self, folder: Path, ids: IdSpace, windows: str = "") -> None:
        self.folder = folder
        self._ids = ids
        self._use_only_parts_of(windows)

    def _use_only_parts_of(self, windows: str) -> None:
        """Keep what is there if it was made of the same windows."""
        note = self.folder / "parts" / "windows"
        if not note.exists() or note.read_text(encoding="ascii", errors="replace") != windows:
            _remove(self.folder, _FOLDERS)
        for name in _FOLDERS:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        write_atomically(note, windows)

    def count_finished(self) -> int:
        """Count the windows that an earlier run has finished."""
        return len(list((self.folder / "parts").glob("*.json")))

    def finished(self, number: int) -> Part | None:
        """Return a part that an earlier run has finished."""
        try:
            return Part.model_validate_json(self._note(number).read_bytes())
        except (OSError, ValidationError):
            return None

    def read(self, number: int, open_reader: OpenReader, advance: Advance) -> Part:
        """Read a window and keep what it holds."""
        self._clear(number)
        facts_by_kind: Counter[str] = Counter()
        figures: dict[str, float] = {}
        n_qualified = 0
        with Rejects(self.folder / "rejects" / f"{number:05}.jsonl") as rejects:
            reader = open_reader(rejects, advance)
            for n_before, batch in enumerate(reader):
                file = f"{number:05}-{n_before:03}.parquet"
                if isinstance(batch, Finished):
                    self._take(batch, file)
                    facts_by_kind.update(batch.n_by_kind)
                    figures.update(batch.figures)
                elif batch.table == "facts":
                    _write_facts(batch.rows, self.folder / "facts" / file)
                    facts_by_kind.update(_counted(batch.rows["kind"]))
                    if batch.is_second_form:
                        n_qualified += batch.rows.num_rows
                    elif self._ids is IdSpace.WIKIDATA:
                        # Elsewhere a fact may be said twice, and is counted when all are there.
                        # Apart, because a window is about few ids, but points to any.
                        self._write_about(_counts(batch.rows["subject"], Role.STATEMENTS, self._ids), "about", file)
                        self._write_about(_counts(batch.rows["object"], Role.POINTERS, self._ids), "pointers", file)
                else:
                    self._write_about(batch.rows, "about", file)
            part = Part(
                lines=reader.lines,
                names=reader.names,
                qualified_facts=n_qualified,
                qualified_lines=reader.qualified_lines,
                facts_by_kind=facts_by_kind,
                ignored=reader.ignored,
                rejected=rejects.counts,
                figures=figures,
                as_of=reader.as_of,
            )
        write_atomically(self._note(number), part.model_dump_json() + "\n")
        return part

    def files(self, table: str) -> list[Path]:
        """Return the files of a table in the order of the input."""
        return sorted((self.folder / table).glob("*.parquet"))

    def forget(self) -> None:
        """Let the next run read everything again, because the files are no longer as they were read."""
        shutil.rmtree(self.folder / "parts", ignore_errors=True)

    def _note(self, number: int) -> Path:
        return self.folder / "parts" / f"{number:05}.json"

    def _write_about(self, rows: pa.RecordBatch, folder: str, file: str) -> None:
        if rows.num_rows:
            group_rows = _POINTER_GROUP_ROWS if folder == "pointers" else _ABOUT_GROUP_ROWS
            in_order = pa.Table.from_batches([rows.take(pc.sort_indices(rows["id"]))])
            write_about(in_order, self.folder / folder / file, group_rows)

    def _take(self, finished: Finished, file: str) -> None:
        (self.folder / finished.table).mkdir(exist_ok=True)
        os.replace(finished.path, self.folder / finished.table / file)

    def _clear(self, number: int) -> None:
        """Delete what an earlier run has left of a window that it did not finish; it may have had other batches."""
        for name in ("facts", "entities", "about", "pointers", "rejects"):
            for file in (self.folder / name).glob(f"{number:05}[-.]*"):
                file.unlink()


def discard(folder: Path) -> None:
    """Delete a folder of parts; the notes first, so that none of them ever stands for a part that is not whole."""
    shutil.rmtree(folder / "parts", ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def tidy(folder: Path) -> None:
    """Delete what only unfinished snapshots need."""
    _remove(folder, ("parts", "about", "pointers", "rejects", PAGES))
    (folder / BEGUN).unlink(missing_ok=True)


def _remove(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        shutil.rmtree(folder / name, ignore_errors=True)


def write_about(rows: pa.Table, path: Path, group_rows: int = _ABOUT_GROUP_ROWS) -> None:
    """Write what is said about entities, sorted by id, so that a range of ids is a small read."""
    _write(
        rows,
        path,
        row_group_size=group_rows,
        use_dictionary=["role"],
        write_statistics=["id"],
        compression="lz4",
    )


def _write_facts(rows: pa.RecordBatch, path: Path) -> None:
    is_dump = rows.schema.field("place").type == DUMP_PLACE
    _write(
        pa.Table.from_batches([rows]),
        path,
        row_group_size=_FACT_GROUP_ROWS,
        use_dictionary=["predicate", "kind", "lang", "place.member"],
        # Both grow within a predicate, so their differences are small.
        column_encoding={"subject": _DELTA, "place.offset": _DELTA} if is_dump else None,
        write_statistics=["predicate", "subject"],
        compression="zstd",
        compression_level=1,
    )


def _write(rows: pa.Table, path: Path, **options: Any) -> None:
    unfinished = path.with_suffix(".unfinished")
    # Opened here, because pyarrow leaves the file open where it cannot write it to the end.
    with pa.OSFile(str(unfinished), "wb") as file:
        pq.write_table(rows, file, **options)
    os.replace(unfinished, path)


def _counted(values: pa.Array) -> dict[Any, int]:
    return {row["values"]: row["counts"] for row in pc.value_counts(values).to_pylist()}


def _counts(entities: pa.Array, role: Role, ids: IdSpace) -> pa.RecordBatch:
    """Count how often each entity stands there."""
    counted = pc.value_counts(entities.drop_null())
    return number_rows(counted.field("values"), role, counted.field("counts"), ids)


def number_rows(entities: pa.Array, role: Role, numbers: pa.Array, ids: IdSpace) -> pa.RecordBatch:
    """Return rows that say a number of each of these entities."""
    n = len(entities)
    columns = {
        "id": entities,
        "role": pa.array([role.value] * n, ids.about_schema().field("role").type),
        "text": pa.nulls(n, pa.string()),
        "number": numbers,
        "position": pa.array(np.zeros(n, np.int64)),
    }
    return pa.RecordBatch.from_pydict(columns, schema=ids.about_schema())
