"""The table of entities: what the parts say about each, put together.

The parts are sorted by id, so a range of ids is a small read in each of them. We go from range to range, each with
about the same number of rows: the memory that it takes does not grow with the dump.
"""

import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from factmill.facts import IdSpace
from factmill.warehouse import Warehouse

_RANGE_ROWS = 500_000


def write_entities(about: Sequence[Path], folder: Path, ids: IdSpace, scratch: Path) -> int:
    """Write the table, a file a range, sorted by id; return the number of entities."""
    # What an interrupted run has left there may be half a file, and under any name.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    n_entities = 0
    # Text ids cannot be divided into ranges like numbers; the sources that have them are small.
    bounds = id_bounds(about, _RANGE_ROWS) if ids is IdSpace.WIKIDATA else []
    with Warehouse(scratch) as warehouse:
        warehouse.use_ids(ids)
        for number, (low, high) in enumerate(pairwise([None, *bounds, None])):
            warehouse.range_view("raw_about", about, "id", low, high)
            warehouse.run("staged_entities")
            n_entities += warehouse.copy_to_parquet("staged_entities", folder / f"{number:05}.parquet")
    return n_entities


def id_bounds(about: Sequence[Path], range_rows: int) -> list[int]:
    """Return ids between which there are about as many rows as asked for.

    Parquet keeps the first id, the last id and the number of rows of each group of rows; within a group we take the
    rows as evenly spread.
    """
    groups = [group for file in about for group in _groups(file)]
    points = np.unique([bound for low, high, _ in groups for bound in (low, high + 1)])
    n_before = np.zeros(len(points))
    for low, high, n_rows in groups:
        n_before += n_rows * np.clip((points - low) / (high + 1 - low), 0, 1)
    wanted = np.arange(range_rows, n_before[-1], range_rows)
    return [int(bound) for bound in np.unique(np.interp(wanted, n_before, points).astype(np.int64))]


def _groups(file: Path) -> list[tuple[int, int, int]]:
    metadata = pq.read_metadata(file)
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    return [(group.column(0).statistics.min, group.column(0).statistics.max, group.num_rows) for group in groups]
