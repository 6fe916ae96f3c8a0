"""The rows of a shard on their way into the corpus: a Parquet file in the shard's order, as it will lie in the corpus.

However many there are, no more than a batch is in memory.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA, SCHEMA_VERSION
from factmill.rows_digest import rows_digest

PARTITION = ("source", "predicate")
"""Columns that are the shard's, so that no file holds them."""
STORED_SCHEMA = pa.schema([column for column in PAIR_SCHEMA if column.name not in PARTITION])
_ROWS_A_BATCH = 50_000


@dataclass(frozen=True)
class ShardRows:
    """A file of rows, sorted by `ordinal` where they have one and by `qa_id` otherwise."""

    shard: ShardName
    file: Path
    n_rows: int

    @classmethod
    def of_table(cls, shard: ShardName, rows: pa.Table, file: Path) -> "ShardRows":
        """Write rows that are in memory to a file."""
        in_order = rows.sort_by([("ordinal", "ascending"), ("qa_id", "ascending")])
        pq.write_table(in_order.select(STORED_SCHEMA.names).cast(STORED_SCHEMA), file, compression="snappy")
        return cls(shard, file, rows.num_rows)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows without the columns that are the shard's."""
        with pq.ParquetFile(self.file, pre_buffer=False) as file:
            for batch in file.iter_batches(_ROWS_A_BATCH):
                columns = [batch[column.name].cast(column.type) for column in STORED_SCHEMA]
                yield pa.RecordBatch.from_arrays(columns, schema=STORED_SCHEMA)

    def table(self) -> pa.Table:
        """Read all rows with all columns; for few."""
        rows = pa.Table.from_batches(self.batches(), STORED_SCHEMA)
        for name, text in zip(PARTITION, (self.shard.source, self.shard.key), strict=True):
            rows = rows.append_column(name, pa.repeat(text, len(rows)))
        return rows.select(PAIR_SCHEMA.names).cast(PAIR_SCHEMA)

    def digest(self, template_digest: str) -> str:
        """Return the shard's digest."""
        return rows_digest(self.batches(), json.dumps([SCHEMA_VERSION, str(self.shard), template_digest]))
