"""What several modules need to know of Delta tables: errors, names of shards, and which version has which file.

A path in Delta's log is percent-encoded once more than the file's name: `predicate=dbo:artist` is the folder
`predicate=dbo%3Aartist`, which the log calls `predicate=dbo%253Aartist`.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from deltalake.exceptions import CommitFailedError, DeltaError

from factmill.errors import CorpusConflict, CorpusError
from factmill.full_disk import is_full_disk
from factmill.names import ShardName


@contextmanager
def wrapped(what: str) -> Iterator[None]:
    """Turn the library's errors into ours, which can also be sent between processes."""
    try:
        yield
    except CommitFailedError as error:
        if is_full_disk(error):
            # To try again at once would not help.
            raise CorpusError(f"cannot {what} the corpus: {error}") from None
        raise CorpusConflict(f"cannot {what} the corpus, another run was faster: {error}") from None
    except DeltaError as error:
        raise CorpusError(f"cannot {what} the corpus: {error}") from None
    except OSError as error:
        raise CorpusError(f"cannot {what} the corpus: {error}") from None


def shard_predicate(shard: ShardName) -> str:
    """Return the condition that the rows of a shard meet."""
    # A shard name cannot hold a quote: names.py sees to that.
    return f"source = '{shard.source}' AND predicate = '{shard.key}'"


def shard_of_partition(partition: dict[str, str]) -> ShardName:
    """Return the shard whose rows a partition holds."""
    return ShardName.parse(f"{partition['source']}/{partition['predicate']}")


def file_at(table: Path, logged: str) -> Path:
    """Return the file that a path in the log stands for.

    >>> file_at(Path("corpus"), "source=dbpedia/predicate=dbo%253Aartist/part-0.parquet").as_posix()
    'corpus/source=dbpedia/predicate=dbo%3Aartist/part-0.parquet'
    """
    return table / unquote(logged)


@dataclass(frozen=True)
class FileLife:
    """The versions that need a file: from the one that added it to before the one that removed it."""

    path: Path
    added: int
    removed: int | None

    def is_in(self, version: int) -> bool:
        """Tell whether a version needs the file."""
        return self.added <= version and (self.removed is None or version < self.removed)


def file_lives(table: Path) -> list[FileLife]:
    """Return all files that any version has, as the log tells; whether they are there still is another matter."""
    added: dict[str, int] = {}
    lives = []
    with wrapped("read the history of"):
        for commit in sorted((table / "_delta_log").glob("*.json")):
            if not commit.stem.isdigit():
                continue
            version = int(commit.stem)
            for kind, logged in _actions(commit):
                if kind == "add":
                    added.setdefault(logged, version)
                else:
                    lives.append(FileLife(file_at(table, logged), added.pop(logged, 0), version))
    return lives + [FileLife(file_at(table, logged), version, None) for logged, version in added.items()]


def version_with_note(table: Path, first: int, note: Mapping[str, str]) -> int:
    """Return the version, from a first one on, that a commit with this note made.

    Delta's own history counts back from the version it knows, and so errs while others commit.
    """
    version = first
    while True:
        commit = table / "_delta_log" / f"{version:020}.json"
        if not commit.exists():
            raise CorpusError(f"the commit of run {note.get('factmill.run')} is not in the log of {table}. Run again.")
        lines = commit.read_text(encoding="utf-8").splitlines()
        told: dict[str, str] = next(
            (action["commitInfo"] for action in map(json.loads, lines) if "commitInfo" in action), {}
        )
        if all(told.get(key) == value for key, value in note.items()):
            return version
        version += 1


def _actions(commit: Path) -> Iterator[tuple[str, str]]:
    """Yield what a commit adds and removes, removals first: it may remove and add one file."""
    try:
        actions = [json.loads(line) for line in commit.read_text(encoding="utf-8").splitlines() if line.strip()]
        for kind in ("remove", "add"):
            yield from ((kind, action[kind]["path"]) for action in actions if kind in action)
    except (ValueError, KeyError, TypeError):
        raise CorpusError(f"{commit} is damaged: it is no commit of a Delta table.") from None
