"""The rows of a shard on their way into the corpus: a Parquet file, and what is the same in all of them.

However many there are, no more than a batch is in memory.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.pairs import PAIR_SCHEMA, SCHEMA_VERSION

_ROWS_A_BATCH = 20_000


@dataclass(frozen=True)
class ShardRows:
    """A file of rows; columns that it lacks have the same value in every row."""

    file: Path
    n_rows: int
    same: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_table(cls, rows: pa.Table, file: Path) -> "ShardRows":
        """Write rows that are in memory to a file."""
        pq.write_table(rows.cast(PAIR_SCHEMA), file, compression="snappy")
        return cls(file, rows.num_rows)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows with all columns."""
        with pq.ParquetFile(self.file, pre_buffer=False) as file:
            for batch in file.iter_batches(_ROWS_A_BATCH):
                yield self._completed(batch)

    def reader(self) -> pa.RecordBatchReader:
        """Return the same as a stream that other libraries read."""
        return pa.RecordBatchReader.from_batches(PAIR_SCHEMA, self.batches())

    def table(self) -> pa.Table:
        """Read all rows; for few."""
        return pa.Table.from_batches(self.batches(), PAIR_SCHEMA)

    def heading(self, template_digest: str) -> str:
        """Return what the shard's digest covers beside the rows of the file."""
        return json.dumps([SCHEMA_VERSION, template_digest, dict(sorted(self.same.items()))], default=str)

    def _completed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = [
            pa.repeat(pa.scalar(self.same[column.name], column.type), len(batch))
            if column.name in self.same
            else batch[column.name].cast(column.type)
            for column in PAIR_SCHEMA
        ]
        return pa.RecordBatch.from_arrays(columns, schema=PAIR_SCHEMA)
