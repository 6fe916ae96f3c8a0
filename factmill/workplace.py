"""The folder in which a snapshot is made: its name is its own, one process has it, and it outlives an interruption.

A damaged input leaves nothing behind; a full disk, an endpoint in trouble, Ctrl-C and a kill leave the finished parts.
What an endpoint said is of use for a day: it has no digest that would tell whether it says the same later.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
from filelock import FileLock, Timeout

from factmill.errors import ConfigError, SourceError, SourceUnavailable
from factmill.full_disk import is_full_disk
from factmill.home import DISK_IS_FULL, Home
from factmill.parts import BEGUN, discard

_UNFINISHED = ".unfinished"


def unfinished(home: Home, source: str) -> list[Path]:
    """Return the folders of snapshots whose staging was interrupted; not those that are being staged now."""
    return [folder for folder in sorted(home.staged(source).glob(f"*{_UNFINISHED}")) if not _is_in_use(folder)]


def workplace_folder(home: Home, source: str, snapshot: str) -> Path:
    """Return where the snapshot of this name is made."""
    return home.staged(source) / (snapshot + _UNFINISHED)


@contextmanager
def workplace(
    home: Home, source: str, snapshot: str, input_name: str, *, max_age_seconds: float | None = None
) -> Iterator[Path]:
    """Give the folder for this snapshot, with what an earlier run has left in it, to one process at a time."""
    folder = workplace_folder(home, source, snapshot)
    with _full_disk_is_said(folder.parent), _lock(folder, input_name):
        try:
            if max_age_seconds is not None and _age_seconds(folder) > max_age_seconds:
                discard(folder)
            folder.mkdir(exist_ok=True)
            if max_age_seconds is not None:
                _note_begin(folder)
            yield folder
        except SourceUnavailable as error:
            kept = "What was read is kept until a day after the first try: run it again to go on."
            raise SourceUnavailable(f"{error} Nothing was staged. {kept}", error.wait_seconds) from error
        except SourceError:
            # A damaged file stays damaged: what was read of it is of no use. An endpoint's other answers are.
            if max_age_seconds is None:
                discard(folder)
            raise
        # Either it has its final name by now, or the snapshot was there already.
        discard(folder)


def _note_begin(folder: Path) -> None:
    mark = folder / BEGUN
    if not mark.exists():
        mark.touch()


def _age_seconds(folder: Path) -> float:
    """Return how long ago the first run began here."""
    try:
        return time.time() - (folder / BEGUN).stat().st_mtime
    except OSError:
        return 0.0


@contextmanager
def _lock(folder: Path, input_name: str) -> Iterator[None]:
    lock = FileLock(_lock_file(folder), timeout=0)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise ConfigError(f"{input_name} is being staged by another process. Wait for it.") from error
    except OSError as error:
        if error.errno in DISK_IS_FULL:
            raise
        raise ConfigError(f"cannot write to {folder.parent}: {error.strerror}. Nothing was staged.") from error
    try:
        yield
    finally:
        # Before it is released: afterwards it may be another's.
        if not folder.exists():
            _lock_file(folder).unlink(missing_ok=True)
        lock.release()


def _lock_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _is_in_use(folder: Path) -> bool:
    if not _lock_file(folder).exists():
        return False
    try:
        with FileLock(_lock_file(folder), timeout=0):
            return False
    except (Timeout, OSError):
        return True


@contextmanager
def _full_disk_is_said(folder: Path) -> Iterator[None]:
    """Turn what Python, pyarrow and DuckDB each say in their own way into one message."""
    try:
        yield
    except (OSError, duckdb.Error) as error:
        if not is_full_disk(error):
            raise
        raise ConfigError(
            f"the disk of {folder} is full. The windows that were finished are kept, and nothing else was staged:"
            " make room and run it again."
        ) from error
