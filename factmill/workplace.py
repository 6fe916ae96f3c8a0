"""The folder in which a snapshot is made: its name is its own, one process has it, and it outlives an interruption.

A damaged input leaves nothing behind; a full disk, Ctrl-C and a kill leave the parts that were finished.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
from filelock import FileLock, Timeout

from factmill.errors import ConfigError, SourceError
from factmill.home import DISK_IS_FULL, Home
from factmill.parts import discard

_UNFINISHED = ".unfinished"
# DuckDB tells it in words only: the system's, or its own where it had no room for what memory could not hold.
_DISK_IS_FULL_TEXTS = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT), "max_temp_directory_size")


def unfinished(home: Home, source: str) -> list[Path]:
    """Return the folders of snapshots whose staging was interrupted; not those that are being staged now."""
    return [folder for folder in sorted(home.staged(source).glob(f"*{_UNFINISHED}")) if not _is_in_use(folder)]


@contextmanager
def workplace(home: Home, source: str, snapshot: str, input_name: str) -> Iterator[Path]:
    """Give the folder for this snapshot, with what an earlier run has left in it, to one process at a time."""
    parent = home.staged(source)
    folder = parent / (snapshot + _UNFINISHED)
    with _full_disk_is_said(parent), _lock(folder, input_name):
        try:
            folder.mkdir(exist_ok=True)
            yield folder
        except SourceError:
            # A damaged input stays damaged: what was read of it is of no use.
            discard(folder)
            raise
        # Either it has its final name by now, or the snapshot was there already.
        discard(folder)


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
        if not _is_full_disk(error):
            raise
        raise ConfigError(
            f"the disk of {folder} is full. The windows that were finished are kept, and nothing else was staged:"
            " make room and run it again."
        ) from error


def _is_full_disk(error: OSError | duckdb.Error) -> bool:
    if isinstance(error, OSError):
        return error.errno in DISK_IS_FULL
    return any(text in str(error) for text in _DISK_IS_FULL_TEXTS)
