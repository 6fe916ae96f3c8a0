"""The corpus: a Delta table of question-answer pairs, partitioned by shard.

Writing a shard replaces its partition in one commit. A shard's digest covers its rows, the schema and the template; if
it equals that of the last commit nothing is written, so the same run twice changes nothing. Delta keeps one 63-bit
number per writer's name ("transaction identifier"); we keep the digest there under the shard's name. So it is known
without reading the history, and Delta lets only one of several writers of a shard through at a time.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.exceptions import CommitFailedError
from filelock import FileLock
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from factmill.changes import Change, Changes, compare_rows
from factmill.corpus_version import CorpusVersion, readable
from factmill.delta import version_with_note
from factmill.delta import wrapped as _wrapped
from factmill.errors import ConfigError, CorpusConflict, CorpusError
from factmill.full_disk import check_room, full_disk_is_said, is_full_disk
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA, SCHEMA_VERSION
from factmill.placed_file import PlacedFile, placed
from factmill.shard_rows import PARTITION, ShardRows

_KEEP_HISTORY = {
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
}
_WRITE_ATTEMPTS = 10
_COMMIT_BYTES = 256 << 10
"""More than a commit takes, without the file that it adds."""
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
        with full_disk_is_said(self._home):
            self._create()
        attempts = Retrying(
            retry=retry_if_exception_type(CorpusConflict),
            stop=stop_after_attempt(_WRITE_ATTEMPTS),
            wait=wait_random_exponential(multiplier=0.05, max=2),
            reraise=True,
        )
        with full_disk_is_said(self._home), self._home.scratch() as scratch:
            stored = rows if isinstance(rows, ShardRows) else ShardRows.of_table(shard, rows, scratch / "rows.parquet")
            digest = stored.digest(origin.template_digest)
            if self.latest().digest(shard) == digest:
                return Written(shard, digest, None, Changes(0, 0, 0, stored.n_rows))
            with placed(stored, self._home.corpus) as file:
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

    def _write_once(self, rows: ShardRows, file: PlacedFile, origin: Origin, digest: str, scratch: Path) -> Written:
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
        # Delta leaves what it could not write, and that would stay until a vacuum a day later: so it does not begin.
        check_room(self._home, _COMMIT_BYTES)
        with _wrapped("write to"):
            _add_new_columns(table)
            try:
                file.may_be_committed = True
                table.create_write_transaction(
                    file.actions(partition),
                    mode="overwrite",
                    schema=PAIR_SCHEMA,
                    partition_by=list(PARTITION),
                    partition_filters=[(name, "=", str(value)) for name, value in partition.items()],
                    commit_properties=commit,
                )
            except CommitFailedError:
                file.may_be_committed = False
                raise
        return Written(shard, digest, version_with_note(self._home.corpus, (before.number or 0) + 1, note), changes)

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
            if is_full_disk(error):
                raise
            raise ConfigError(f"cannot write to {self._home.root}: {error.strerror}.") from error


def _add_new_columns(table: DeltaTable) -> None:
    """Add the columns that the table lacks because an earlier factmill made it."""
    present = {field.name for field in table.schema().fields}
    lacking = [column for column in PAIR_SCHEMA if column.name not in present]
    if lacking:
        fields = Schema.from_arrow(pa.schema([column.with_nullable(True) for column in lacking])).fields
        table.alter.add_columns(fields)


def _compare(
    version: CorpusVersion, shard: ShardName, rows: ShardRows, scratch: Path, n_samples: int = 0
) -> tuple[Changes, list[Change]]:
    version.check_whole(shard)
    old = [file.path for file in version.files(shard)]
    if not old and not n_samples:
        return Changes(rows.n_rows, 0, 0, 0), []
    with readable(shard):
        return compare_rows(scratch, old, [rows.file], n_samples)
