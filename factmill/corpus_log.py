"""The log of the corpus: what each version did, who wrote it and from what, and whether it can be read still."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from factmill.changes import Changes
from factmill.corpus import Corpus
from factmill.delta import FileLife, file_lives
from factmill.home import Home
from factmill.names import ShardName

COMPACT, VACUUM = "compact", "vacuum"
_OPERATIONS = {"CREATE TABLE": "create"}


@dataclass(frozen=True)
class LogEntry:
    """One commit. What a commit that is no write of a shard does not have is None."""

    version: int
    when: datetime
    operation: str
    """write, compact, vacuum, create, or what Delta calls it."""
    shard: str | None
    digest: str | None
    n_rows: int | None
    changes: Changes | None
    run: str | None
    snapshot: str | None
    template_digest: str | None
    licence: str | None
    detail: str
    is_readable: bool
    """Whether all files of this version are there still."""


def read_log(home: Home, shard: ShardName | None = None) -> list[LogEntry]:
    """Return the commits, newest first; with a shard only those that wrote or compacted it."""
    commits = Corpus(home).commits()
    gone = unreadable_versions(file_lives(home.corpus)) if commits else set()
    entries = [_entry(commit, commit["version"] not in gone) for commit in commits]
    return [entry for entry in entries if shard is None or entry.shard == str(shard)]


def unreadable_versions(lives: Iterable[FileLife]) -> set[int]:
    """Return the versions that need a file which is not there."""
    lives = list(lives)
    end = max((max(life.added, life.removed or 0) for life in lives), default=0) + 1
    gone = [life for life in lives if not life.path.exists()]
    return {version for life in gone for version in range(life.added, end if life.removed is None else life.removed)}


def _entry(commit: dict[str, Any], is_readable: bool) -> LogEntry:
    def text(key: str) -> str | None:
        value = commit.get(f"factmill.{key}")
        # The writer notes what it does not have as "None".
        return None if value in (None, "None") else str(value)

    is_write = "factmill.rows" in commit
    counts = [int(commit[f"factmill.{key}"]) for key in Changes.__annotations__] if is_write else None
    return LogEntry(
        version=commit["version"],
        when=datetime.fromtimestamp(commit["timestamp"] / 1000, UTC),
        operation="write" if is_write else _operation(commit),
        shard=text("shard") if is_write else text("compacted"),
        digest=text("digest"),
        n_rows=int(commit["factmill.rows"]) if is_write else None,
        changes=Changes(*counts) if counts else None,
        run=text("run"),
        snapshot=text("snapshot"),
        template_digest=text("template_digest"),
        licence=text("licence"),
        detail="" if is_write else _detail(commit),
        is_readable=is_readable,
    )


def _operation(commit: dict[str, Any]) -> str:
    for kind, key in ((COMPACT, "factmill.compacted"), (VACUUM, "factmill.vacuumed")):
        if key in commit:
            return kind
    named = str(commit.get("operation", "unknown"))
    return _OPERATIONS.get(named, named.lower())


def _detail(commit: dict[str, Any]) -> str:
    """Say in words what a commit did that wrote no shard."""
    if "factmill.compacted" in commit:
        metrics = commit.get("operationMetrics") or {}
        return f"{metrics.get('num_removed_files')} files became {metrics.get('num_added_files')}"
    if "factmill.vacuumed" in commit:
        megabytes = int(commit["factmill.vacuumed_bytes"]) / 1e6
        return f"files deleted: {int(commit['factmill.vacuumed']):,}, {megabytes:,.1f} MB"
    return ""
