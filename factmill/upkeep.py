"""Upkeep of the corpus: many small files become few, and files that only old versions need are deleted.

A compaction keeps the store protocol: it writes a shard's own rows again under the shard's own transaction number. So a
compaction and a writer of the shard stop each other, and whoever comes second looks anew. (Delta's own `optimize` loses
the files of shards whose name holds a colon.) Vacuuming deletes exactly what was planned: what the log knows and no
kept version needs, and what the log does not know if it is a day old, since a writer may be about to commit it.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from factmill.corpus import Corpus
from factmill.corpus_log import unreadable_versions
from factmill.corpus_version import CorpusVersion
from factmill.delta import FileLife, file_lives, shard_predicate, wrapped
from factmill.errors import ConfigError, CorpusConflict
from factmill.full_disk import full_disk_is_said
from factmill.home import Home
from factmill.names import ShardName

FILE_BYTES = 128 << 20
"""About how large a file of a shard should be."""
UNCOMMITTED_HOURS = 24
"""A file that no version has is deleted only if it is older: a running writer may be about to commit a younger one."""
DEFAULT_KEEP_DAYS = 30
_ROWS_A_BATCH = 10_000
_ATTEMPTS = 10


@dataclass(frozen=True)
class Compacted:
    """What a compaction did to a shard; `version` is None if there was nothing to do."""

    shard: ShardName
    version: int | None
    n_files_before: int
    n_files_after: int


def compact(home: Home, shards: Sequence[ShardName] = (), file_bytes: int = FILE_BYTES) -> Iterator[Compacted]:
    """Write the rows of shards that have many small files into few; of all shards if none are named."""
    present = list(Corpus(home).latest().shards())
    if unknown := [shard for shard in shards if shard not in present]:
        raise ConfigError(f"{unknown[0]} is not in the corpus. See `factmill corpus log`.")
    attempts = Retrying(
        retry=retry_if_exception_type(CorpusConflict),
        stop=stop_after_attempt(_ATTEMPTS),
        wait=wait_random_exponential(multiplier=0.05, max=2),
        reraise=True,
    )
    for shard in present:
        if not shards or shard in shards:
            with full_disk_is_said(home):
                compacted = attempts(lambda shard=shard: compact_from(open_table(home), shard, file_bytes))
            yield compacted


def open_table(home: Home) -> DeltaTable:
    """Open the corpus, which must be there, as it is now."""
    with wrapped("open"):
        return DeltaTable(home.corpus)


def compact_from(table: DeltaTable, shard: ShardName, file_bytes: int = FILE_BYTES) -> Compacted:
    """Compact a shard as this table has it; if it was written in the meantime, that is a CorpusConflict."""
    version = CorpusVersion(table)
    files = version.files(shard)
    # So that files of half the size wanted, and those of a shard that is a little larger than one, stay as they are.
    enough = math.ceil(2 * sum(file.n_bytes for file in files) / file_bytes)
    digest = version.digest(shard)
    if len(files) <= max(enough, 1) or digest is None:
        return Compacted(shard, None, len(files), len(files))
    version.check_whole(shard)
    chosen = (ds.field("source") == shard.source) & (ds.field("predicate") == shard.key)
    note = {"factmill.compacted": str(shard)}
    with wrapped(f"compact {shard} in"):
        rows = table.to_pyarrow_dataset().scanner(
            filter=chosen, batch_size=_ROWS_A_BATCH, batch_readahead=2, fragment_readahead=1
        )
        write_deltalake(
            table,
            pa.RecordBatchReader.from_batches(rows.projected_schema, rows.to_batches()),
            mode="overwrite",
            predicate=shard_predicate(shard),
            target_file_size=file_bytes,
            commit_properties=CommitProperties(
                custom_metadata=note, app_transactions=[Transaction(str(shard), int(digest, 16))]
            ),
        )
    written = CorpusVersion(table)
    return Compacted(shard, written.number, len(files), len(written.files(shard)))


@dataclass(frozen=True)
class DoomedFile:
    """A file that a vacuum would delete."""

    path: Path
    n_bytes: int


@dataclass(frozen=True)
class VacuumPlan:
    """What a vacuum would delete, and what that costs."""

    latest: int
    kept: list[int]
    """Versions that stay as they are."""
    lost: list[int]
    """Versions that can be read now and could not be read any more."""
    files: list[DoomedFile]
    n_uncommitted: int
    """How many of the files no version ever had: left by writers that were stopped."""

    @property
    def n_bytes(self) -> int:
        """Return how many bytes would be freed."""
        return sum(file.n_bytes for file in self.files)


def plan_vacuum(
    home: Home, *, keep_days: int | None = None, keep_versions: int | None = None, now: datetime | None = None
) -> VacuumPlan:
    """Tell what a vacuum would delete that keeps the versions of some days, or so many of the last versions."""
    now = now or datetime.now(UTC)
    commits = Corpus(home).commits()
    if not commits:
        raise ConfigError("the corpus is empty. There is nothing to vacuum.")
    times = {commit["version"]: datetime.fromtimestamp(commit["timestamp"] / 1000, UTC) for commit in commits}
    latest = max(times)
    if keep_versions is not None:
        kept = {version for version in times if version > latest - max(keep_versions, 1)}
    else:
        since = now - timedelta(days=DEFAULT_KEEP_DAYS if keep_days is None else keep_days)
        # A version was current until the next one came.
        kept = {version for version in times if version == latest or times[version + 1] >= since}
    lives = file_lives(home.corpus)
    needed = {life.path for life in lives if any(life.is_in(version) for version in kept)}
    unneeded = {life.path for life in lives if life.path.exists()} - needed
    uncommitted = set(_old_files(home.corpus, now - timedelta(hours=UNCOMMITTED_HOURS))) - {life.path for life in lives}
    lost = _versions_of(lives, unneeded, latest) - unreadable_versions(lives)
    return VacuumPlan(
        latest=latest,
        kept=sorted(kept),
        lost=sorted(lost),
        files=[DoomedFile(path, path.stat().st_size) for path in sorted(unneeded | uncommitted)],
        n_uncommitted=len(uncommitted),
    )


def _versions_of(lives: Iterable[FileLife], paths: set[Path], latest: int) -> set[int]:
    touched = [life for life in lives if life.path in paths]
    return {
        version
        for life in touched
        for version in range(life.added, latest + 1 if life.removed is None else life.removed)
    }


def _old_files(table: Path, before: datetime) -> Iterator[Path]:
    """Yield the files in the folders of shards that were last written before a time."""
    for path in table.glob("source=*/**/*"):
        if path.is_file() and path.stat().st_mtime < before.timestamp():
            yield path


def vacuum(home: Home, plan: VacuumPlan) -> int | None:
    """Delete what was planned; return the version that notes it, None if there was nothing to delete."""
    if not plan.files:
        return None
    table = open_table(home)
    note = {
        "factmill.vacuumed": str(len(plan.files)),
        "factmill.vacuumed_bytes": str(plan.n_bytes),
        "factmill.lost_versions": ",".join(map(str, plan.lost)),
    }
    with wrapped("vacuum"):
        # Noted first: if this is stopped half-way, the log tells why versions cannot be read, and a second run ends it.
        table.create_write_transaction(
            [], mode="append", schema=table.schema(), commit_properties=CommitProperties(custom_metadata=note)
        )
        for file in plan.files:
            file.path.unlink(missing_ok=True)
        table.update_incremental()
    return table.version()
