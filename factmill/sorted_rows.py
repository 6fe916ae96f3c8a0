"""Rows of a shard's Parquet files in a stated order, of shards that are larger than the memory.

DuckDB sorts, and keeps what exceeds the setting `memory_mb` in the scratch folder. The files hold neither the columns
that the table is partitioned by nor those that are younger than the files.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from factmill.errors import ConfigError
from factmill.settings import settings
from factmill.warehouse import Warehouse

_MEGABYTES_A_THREAD = 600
"""With less, a thread of DuckDB's sort cannot even keep what it needs to use the disk."""


def sorted_batches(
    files: Sequence[Path],
    wanted: pa.Schema,
    by: Sequence[str],
    partition: Mapping[str, str],
    scratch: Path,
    rows_a_batch: int,
) -> Iterator[pa.RecordBatch]:
    """Yield the wanted columns, sorted by others; nulls come last.

    A file that cannot be read is a `duckdb.Error` or, from Arrow's side, an OSError.
    """
    megabytes = settings().memory_mb
    with Warehouse(scratch, megabytes=megabytes) as warehouse:
        warehouse.execute(f"set threads = {max(1, min(settings().n_threads, megabytes // _MEGABYTES_A_THREAD))}")
        warehouse.view("shard_rows", *files)
        held = warehouse.query("from shard_rows limit 0").schema.names
        read = [name for name in wanted.names if name in held and name not in partition] or ["qa_id"]
        order = [name for name in by if name in held]
        try:
            for batch in warehouse.sorted_batches("shard_rows", read, order, rows_a_batch):
                yield _completed(batch, wanted, partition)
        except (duckdb.Error, OSError) as error:
            if "Out of Memory" not in str(error):
                raise
            raise ConfigError(f"{megabytes} MB are too few to sort the pairs. Raise FACTMILL_MEMORY_MB.") from error


def _completed(batch: pa.RecordBatch, wanted: pa.Schema, partition: Mapping[str, str]) -> pa.RecordBatch:
    """Add the columns that the files do not hold."""
    columns = []
    for field in wanted:
        if field.name in partition:
            columns.append(pa.repeat(pa.scalar(partition[field.name], field.type), len(batch)))
        elif field.name in batch.schema.names:
            columns.append(batch[field.name].cast(field.type))
        else:
            columns.append(pa.nulls(len(batch), field.type))
    return pa.RecordBatch.from_arrays(columns, schema=wanted)
