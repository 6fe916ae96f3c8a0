"""The corpus: a Delta table of question-answer pairs, partitioned by shard.

Writing a shard replaces its partition in one commit. A shard's digest covers its rows, the schema and the template; if
it equals that of the last commit nothing is written, so the same run twice changes nothing. Delta keeps one 63-bit
number per writer's name ("transaction identifier"); we keep the digest there under the shard's name. So it is known
without reading the history, and Delta lets only one of several writers of a shard through at a time.
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.transaction import AddAction, RemoveAction
from filelock import FileLock
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from factmill.changes import Change, Changes, compare_rows
from factmill.delta import file_at, shard_of_partition
from factmill.delta import wrapped as _wrapped
from factmill.errors import ConfigError, CorpusConflict, CorpusError
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA, SCHEMA_VERSION
from factmill.shard_rows import PARTITION, ShardRows
from factmill.sorted_rows import sorted_batches

_KEEP_HISTORY = {
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
}
_WRITE_ATTEMPTS = 10
_SAMPLES = 3
"""Pairs of each kind of change that a preview shows."""
_FILL_IT = "Add pairs with `factmill augment` or `factmill corpus import` first."


@dataclass(frozen=True)
class Preview:
    """What a write would do: whether it would make a commit at all, the changes, and a few pairs of each kind."""

    would_write: bool
    changes: Changes
    samples: list[Change]


@dataclass(frozen=True)
class Origin:
    """Where the rows of a commit come from."""

    run: str
    snapshot: str
    template_digest: str
    licence: str | None


@dataclass(frozen=True)
class Written:
    """The outcome of a write: `version` is None if the corpus held these rows already."""

    shard: ShardName
    digest: str
    version: int | None
    changes: Changes


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


class Corpus:
    """The corpus of one home. It comes into being with the first write."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def latest(self) -> CorpusVersion:
        """Return the corpus as it is now."""
        return CorpusVersion(self._open())

    def preview(self, shard: ShardName, rows: ShardRows, origin: Origin) -> Preview:
        """Tell what writing these rows would change."""
        latest = self.latest()
        would_write = latest.digest(shard) != rows.digest(origin.template_digest)
        with self._home.scratch() as scratch:
            return Preview(would_write, *_compare(latest, shard, rows, scratch, _SAMPLES))

    def write(self, shard: ShardName, rows: ShardRows | pa.Table, origin: Origin) -> Written:
        """Make these rows the shard, unless they are it already.

        If another writer of the shard wins, the corpus is read again and decides anew.
        """
        self._create()
        attempts = Retrying(
            retry=retry_if_exception_type(CorpusConflict),
            stop=stop_after_attempt(_WRITE_ATTEMPTS),
            wait=wait_random_exponential(multiplier=0.05, max=2),
            reraise=True,
        )
        with self._home.scratch() as scratch:
            stored = rows if isinstance(rows, ShardRows) else ShardRows.of_table(shard, rows, scratch / "rows.parquet")
            digest = stored.digest(origin.template_digest)
            if self.latest().digest(shard) == digest:
                return Written(shard, digest, None, Changes(0, 0, 0, stored.n_rows))
            with _file_of(stored, self._home.corpus) as file:
                return attempts(self._write_once, stored, file, origin, digest, scratch)

    def drop(self, shard: ShardName, origin: Origin) -> Written:
        """Retire all pairs of a shard; earlier versions keep them."""
        return self.write(shard, PAIR_SCHEMA.empty_table(), origin)

    def at(self, version: int) -> CorpusVersion:
        """Return the corpus as it was after a commit."""
        table = self._open()
        if table is None:
            raise ConfigError(f"the corpus is empty. {_FILL_IT}")
        if not 0 <= version <= table.version():
            raise ConfigError(
                f"the corpus has no version {version}, they go from 0 to {table.version()}. See `factmill corpus log`."
            )
        with _wrapped(f"open version {version} of"):
            return CorpusVersion(DeltaTable(self._home.corpus, version=version))

    def commits(self) -> list[dict[str, Any]]:
        """Return Delta's own notes of all commits, newest first; `corpus_log` reads them."""
        table = self._open()
        if table is None:
            return []
        with _wrapped("read the history of"):
            return table.history()

    def _write_once(self, rows: ShardRows, file: "_PlacedFile", origin: Origin, digest: str, scratch: Path) -> Written:
        shard = rows.shard
        table = self._open()
        if table is None:
            raise CorpusError(f"{self._home.corpus} disappeared while it was being written. Run again.")
        before = CorpusVersion(table)
        if before.digest(shard) == digest:
            return Written(shard, digest, None, Changes(0, 0, 0, rows.n_rows))
        changes, _ = _compare(before, shard, rows, scratch)
        note = {
            "factmill.shard": str(shard),
            "factmill.digest": digest,
            "factmill.rows": str(rows.n_rows),
            **{f"factmill.{key}": str(value) for key, value in (asdict(changes) | asdict(origin)).items()},
        }
        commit = CommitProperties(
            custom_metadata=note,
            max_commit_retries=_WRITE_ATTEMPTS,
            app_transactions=[Transaction(str(shard), int(digest, 16))],
        )
        partition: dict[str, str | None] = {"source": shard.source, "predicate": shard.key}
        with _wrapped("write to"):
            _add_new_columns(table)
            table.create_write_transaction(
                file.actions(partition),
                mode="overwrite",
                schema=PAIR_SCHEMA,
                partition_by=list(PARTITION),
                partition_filters=[(name, "=", str(value)) for name, value in partition.items()],
                commit_properties=commit,
            )
        file.is_committed = True
        return Written(shard, digest, _version_of(table, note), changes)

    def _open(self) -> DeltaTable | None:
        with _wrapped("open"):
            return DeltaTable(self._home.corpus) if DeltaTable.is_deltatable(str(self._home.corpus)) else None

    def _create(self) -> None:
        """Create the table once: without the lock, writers that start together would create it several times."""
        if self._open() is not None:
            return
        try:
            with FileLock(self._home.root / ".corpus.lock"), _wrapped("create"):
                DeltaTable.create(
                    self._home.corpus,
                    schema=PAIR_SCHEMA,
                    mode="ignore",
                    partition_by=list(PARTITION),
                    name="factmill",
                    description=f"Question-answer pairs, schema {SCHEMA_VERSION}.",
                    configuration=_KEEP_HISTORY,
                )
        except OSError as error:
            raise ConfigError(f"cannot write to {self._home.root}: {error.strerror}.") from error


def _version_of(table: DeltaTable, note: dict[str, str]) -> int:
    """Return the version that a commit with this note made; others may have followed."""
    with _wrapped("read the history of"):
        table.update_incremental()
        for n_commits in (_WRITE_ATTEMPTS, None):
            for commit in table.history(n_commits):
                if all(commit.get(key) == value for key, value in note.items()):
                    return int(commit["version"])
    raise CorpusError(f"the commit of {note['factmill.shard']} is not in the history. Run again.")


def _add_new_columns(table: DeltaTable) -> None:
    """Add the columns that the table lacks because an earlier factmill made it."""
    present = {field.name for field in table.schema().fields}
    lacking = [column for column in PAIR_SCHEMA if column.name not in present]
    if lacking:
        fields = Schema.from_arrow(pa.schema([column.with_nullable(True) for column in lacking])).fields
        table.alter.add_columns(fields)


class _PlacedFile:
    """A file of rows in the folder of the table, which belongs to no version until it is committed."""

    def __init__(self, rows: ShardRows, path: Path, name: str) -> None:
        self.is_committed = False
        self._rows = rows
        self._path = path
        self._name = name

    def actions(self, partition: dict[str, str | None]) -> list[AddAction | RemoveAction]:
        """Return what adds the file to a version; nothing where there are no rows."""
        if not self._rows.n_rows:
            return []
        told = self._path.stat()
        stats = json.dumps({"numRecords": self._rows.n_rows})
        return [AddAction(self._name, told.st_size, partition, int(told.st_mtime * 1000), True, stats)]


@contextmanager
def _file_of(rows: ShardRows, corpus: Path) -> Iterator[_PlacedFile]:
    """Put the file into the folder of the table; take it out again if it is not committed."""
    # Nothing that would be encoded in the log.
    name = f"source={rows.shard.source}/{uuid4().hex}.parquet"
    placed = _PlacedFile(rows, corpus / name, name)
    try:
        if rows.n_rows:
            (corpus / name).parent.mkdir(exist_ok=True)
            _link(rows.file, corpus / name)
        yield placed
    except OSError as error:
        raise CorpusError(f"cannot write to the corpus in {corpus}: {error.strerror}. Nothing was changed.") from error
    finally:
        if not placed.is_committed:
            (corpus / name).unlink(missing_ok=True)


def _link(file: Path, name: Path) -> None:
    """Give a file a second name, or copy it where the file system has no such thing."""
    try:
        os.link(file, name)
    except OSError:
        shutil.copyfile(file, name)


def _compare(
    version: CorpusVersion, shard: ShardName, rows: ShardRows, scratch: Path, n_samples: int = 0
) -> tuple[Changes, list[Change]]:
    version.check_whole(shard)
    old = [file.path for file in version.files(shard)]
    with readable(shard):
        return compare_rows(scratch, old, [rows.file], n_samples)


@contextmanager
def readable(shard: ShardName) -> Iterator[None]:
    """Say which shard a file belongs to that cannot be read."""
    try:
        yield
    except duckdb.Error as error:
        raise CorpusError(f"cannot read {shard} from the corpus, a file is damaged: {error}") from None
