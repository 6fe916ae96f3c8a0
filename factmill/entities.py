"""The table of entities: what the parts say about each, put together.

We go from range to range of ids, each with about the same number of rows, so the memory that it takes does not grow
with the dump. Neither may the time that a row takes: a look into each part for each range would take five times as long
as everything else on a whole dump. A part is about few ids, so of the parts only a few belong to a range. But facts
point to any id: their counts are added up first, in few and large ranges.
"""

import shutil
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from factmill.facts import IdSpace, Role
from factmill.parts import number_rows, write_about
from factmill.progress import progress
from factmill.warehouse import Warehouse

Numbers = npt.NDArray[np.int64]

_RANGE_ROWS = 500_000
_POINTER_RANGE_ROWS = 4_000_000


def write_entities(about: Sequence[Path], pointers: Sequence[Path], folder: Path, ids: IdSpace, scratch: Path) -> int:
    """Write the table, a file a range, sorted by id; return the number of entities."""
    # What an interrupted run has left there may be half a file, and under any name.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    n_entities = 0
    ranges = _ranges(about, pointers, ids, scratch)
    with Warehouse(scratch) as warehouse, progress("putting entities together", len(ranges), "ranges") as advance:
        warehouse.use_ids(ids)
        for number, rows in enumerate(ranges):
            if ids is IdSpace.WIKIDATA:
                warehouse.range_view("raw_about", rows.files, "id", rows.low, rows.high)
            else:
                warehouse.view("all_about", *rows.files)
                warehouse.run("raw_about")
            warehouse.run("staged_entities")
            n_entities += warehouse.copy_to_parquet("staged_entities", folder / f"{number:05}.parquet")
            advance(1)
    return n_entities


class Range(NamedTuple):
    """The ids from `low` to below `high`, None is no bound, and the files that have rows about them."""

    low: int | None
    high: int | None
    files: list[Path]


def _ranges(about: Sequence[Path], pointers: Sequence[Path], ids: IdSpace, scratch: Path) -> list[Range]:
    if ids is not IdSpace.WIKIDATA:
        # Text ids cannot be divided into ranges like numbers; the sources that have them are small.
        return [Range(None, None, [*about, *pointers])]
    row_groups = RowGroups([*about, *_added_up(pointers, scratch)])
    return [Range(low, high, row_groups.files(low, high)) for low, high in row_groups.bounds(_RANGE_ROWS)]


def _added_up(pointers: Sequence[Path], scratch: Path) -> Iterator[Path]:
    """Write how many facts of all parts together point to each entity, a file a range."""
    row_groups = RowGroups(pointers)
    bounds = row_groups.bounds(_POINTER_RANGE_ROWS)
    with progress("counting pointers to entities", len(bounds), "ranges") as advance:
        for number, (low, high) in enumerate(bounds):
            ids, counts = _totals(row_groups.read(low, high, ["id", "number"]))
            if len(ids):
                rows = number_rows(pa.array(ids), Role.POINTERS, pa.array(counts), IdSpace.WIKIDATA)
                path = scratch / f"pointers-{number:05}.parquet"
                write_about(pa.Table.from_batches([rows]), path)
                yield path
            advance(1)
    # Arrow would keep what was needed here, and DuckDB needs as much again.
    pa.default_memory_pool().release_unused()


def _totals(rows: pa.Table) -> tuple[Numbers, Numbers]:
    """Add up the numbers of each id. By a sort, because pyarrow's grouping takes much more memory."""
    ids, numbers = rows["id"].to_numpy(), rows["number"].to_numpy()
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    firsts = np.flatnonzero(np.diff(ids, prepend=-1))
    return ids[firsts], np.add.reduceat(numbers[order], firsts) if len(ids) else numbers


class RowGroups:
    """Which ids the groups of rows in some files have: Parquet keeps the first, the last and the number of rows."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        found = [(number, *group) for number, file in enumerate(files) for group in _groups(file)]
        self._file, self._group, self._low, self._high, self._n_rows = np.array(found, np.int64).reshape(-1, 5).T

    def bounds(self, n_rows: int) -> list[tuple[int, int]]:
        """Return ranges of ids with about as many rows as asked for, if those of a group are evenly spread."""
        if not len(self._file):
            return []
        points = np.unique(np.concatenate([self._low, self._high + 1]))
        rows_per_id = self._n_rows / (self._high + 1 - self._low)
        change = np.zeros(len(points))
        np.add.at(change, np.searchsorted(points, self._low), rows_per_id)
        np.subtract.at(change, np.searchsorted(points, self._high + 1), rows_per_id)
        n_between = np.maximum(np.cumsum(change)[:-1], 0) * np.diff(points)
        n_before = np.concatenate([[0], np.cumsum(n_between)])
        wanted = np.arange(n_rows, self._n_rows.sum(), n_rows)
        cuts = np.interp(wanted, n_before, points).astype(np.int64)
        ranges = pairwise(np.unique([points[0], *cuts, points[-1]]).tolist())
        return [(low, high) for low, high in ranges if self._is_between(low, high).any()]

    def files(self, low: int, high: int) -> list[Path]:
        """Return the files that have rows from `low` to below `high`."""
        return [self._files[number] for number in np.unique(self._file[self._is_between(low, high)]).tolist()]

    def read(self, low: int, high: int, columns: list[str]) -> pa.Table:
        """Return the rows from `low` to below `high`; the first column is the id.

        Four times as fast as a filter of pyarrow's, which counts where thousands of files are read for each range.
        """
        between = self._is_between(low, high)
        numbers, first_of_file = np.unique(self._file[between], return_index=True)
        groups_of_file = np.split(self._group[between], first_of_file[1:])
        tables = []
        for number, groups in zip(numbers.tolist(), groups_of_file, strict=True):
            rows = pq.ParquetFile(self._files[number]).read_row_groups(groups.tolist(), columns=columns)
            # One file after the other: of all of them together most would be outside.
            ids = rows[columns[0]]
            tables.append(rows.filter(pc.and_(pc.greater_equal(ids, low), pc.less(ids, high))))
        return pa.concat_tables(tables)

    def _is_between(self, low: int, high: int) -> npt.NDArray[np.bool_]:
        return (self._high >= low) & (self._low < high)


def _groups(file: Path) -> list[tuple[int, int, int, int]]:
    """Return number, first id, last id and number of rows of each group."""
    metadata = pq.read_metadata(file)
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    return [
        (number, group.column(0).statistics.min, group.column(0).statistics.max, group.num_rows)
        for number, group in enumerate(groups)
    ]
