"""Reading the corpus as it is after one commit."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

from factmill.delta import file_at, shard_of_partition
from factmill.delta import wrapped as _wrapped
from factmill.errors import CorpusError
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA
from factmill.sorted_rows import sorted_batches


@dataclass(frozen=True)
class ShardFile:
    """A Parquet file with rows of one shard."""

    path: Path
    n_bytes: int
    n_rows: int


class CorpusVersion:
    """The corpus as it is after one commit; later commits do not change it."""

    def __init__(self, table: DeltaTable | None) -> None:
        self._table = table

    @property
    def number(self) -> int | None:
        """Return the number of the commit, None where there is no corpus yet."""
        return None if self._table is None else self._table.version()

    def shards(self) -> dict[ShardName, str]:
        """Return the shards that hold rows, each with its digest."""
        if self._table is None:
            return {}
        with _wrapped("list the shards of"):
            names = sorted(shard_of_partition(partition) for partition in self._table.partitions())
        return {name: self.digest(name) or "" for name in names}

    def digest(self, shard: ShardName) -> str | None:
        """Return the digest of a shard, None if it was never written."""
        number = None if self._table is None else self._table.transaction_version(str(shard))
        return None if number is None else f"{number:015x}"

    def rows(self, shard: ShardName, columns: Sequence[str] = (), qa_ids: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of a shard, or those with these ids, sorted by `qa_id`."""
        wanted = pa.schema([PAIR_SCHEMA.field(name) for name in columns or PAIR_SCHEMA.names])
        if self._table is None:
            return wanted.empty_table()
        self.check_whole(shard)
        chosen = (ds.field("source") == shard.source) & (ds.field("predicate") == shard.key)
        if qa_ids is not None:
            chosen &= ds.field("qa_id").isin(pa.array(qa_ids, pa.string()))
        try:
            with _wrapped("read"):
                dataset = self._table.to_pyarrow_dataset()
                # A version from before a column was added lacks it.
                lacking = [name for name in wanted.names if name not in dataset.schema.names]
                names = [name for name in dict.fromkeys(["qa_id", *wanted.names]) if name not in lacking]
                found = dataset.to_table(columns=names, filter=chosen)
                for name in lacking:
                    found = found.append_column(name, pa.nulls(found.num_rows, wanted.field(name).type))
        except pa.ArrowException as error:
            raise CorpusError(f"cannot read {shard} from the corpus, a file is damaged: {error}") from None
        return found.sort_by("qa_id").select(wanted.names).cast(wanted)

    def batches(
        self,
        shard: ShardName,
        columns: Sequence[str] = (),
        *,
        by: Sequence[str] = ("ordinal", "qa_id"),
        rows_a_batch: int = 10_000,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a shard in its order: an imported base in that of its file, any other by `qa_id`.

        No more than some batches are in memory, however large the shard is.
        """
        wanted = pa.schema([PAIR_SCHEMA.field(name) for name in columns or PAIR_SCHEMA.names])
        if self._table is None:
            return
        self.check_whole(shard)
        files = [file.path for file in self.files(shard)]
        if not files:
            return
        partition = {"source": shard.source, "predicate": shard.key}
        try:
            with Home(self._root.parent).scratch() as scratch:
                yield from sorted_batches(files, wanted, by, partition, scratch, rows_a_batch)
        except (duckdb.Error, OSError) as error:
            raise CorpusError(f"cannot read {shard} from the corpus: {str(error).splitlines()[0]}") from None

    def files(self, shard: ShardName) -> list[ShardFile]:
        """Return the files of a shard, sorted by path; whether they are there still is not looked at."""
        return self._files.get(shard, [])

    def all_files(self) -> dict[Path, ShardName]:
        """Return the files of all shards, each with the shard whose rows it holds."""
        return {file.path: shard for shard, files in self._files.items() for file in files}

    def check_whole(self, shard: ShardName) -> None:
        """Refuse a shard that cannot be read because its files are gone."""
        files = self.files(shard)
        if n_gone := sum(not file.path.exists() for file in files):
            raise CorpusError(
                f"version {self.number} of the corpus cannot be read any more: {n_gone} of {len(files)} files of"
                f" {shard} are gone. `factmill corpus vacuum` deletes the files of old versions; `factmill corpus log`"
                " shows which versions can be read."
            )

    @property
    def _root(self) -> Path:
        """Return the folder of the table."""
        return Path(unquote(urlsplit(self._table.table_uri).path)) if self._table else Path()

    @cached_property
    def _files(self) -> dict[ShardName, list[ShardFile]]:
        if self._table is None:
            return {}
        root = self._root
        with _wrapped("list the files of"):
            columns = ["path", "size_bytes", "num_records", "partition.source", "partition.predicate"]
            added = pa.table(self._table.get_add_actions(flatten=True)).select(columns).to_pylist()
        found: dict[ShardName, list[ShardFile]] = {}
        for logged, n_bytes, n_rows, source, predicate in (row.values() for row in added):
            shard = shard_of_partition({"source": source, "predicate": predicate})
            found.setdefault(shard, []).append(ShardFile(file_at(root, logged), n_bytes, n_rows))
        return {shard: sorted(files, key=lambda file: file.path) for shard, files in found.items()}


@contextmanager
def readable(shard: ShardName) -> Iterator[None]:
    """Say which shard a file belongs to that cannot be read."""
    try:
        yield
    except duckdb.Error as error:
        raise CorpusError(f"cannot read {shard} from the corpus, a file is damaged: {error}") from None
