"""A full disk, which Python, pyarrow, DuckDB and Delta each tell in their own way."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from factmill.errors import ConfigError, CorpusError
from factmill.home import DISK_IS_FULL, Home

# DuckDB and Delta tell it in words only: the system's, or DuckDB's where it had no room for what memory could not hold.
_TEXTS = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT), "max_temp_directory_size")


def is_full_disk(error: Exception) -> bool:
    """Tell whether this is the error of a full disk.

    >>> is_full_disk(OSError(errno.ENOSPC, "No space left on device")), is_full_disk(OSError(errno.EIO, "broken"))
    (True, False)
    """
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in DISK_IS_FULL
    return any(text in str(error) for text in _TEXTS)


@contextmanager
def full_disk_is_said(home: Home) -> Iterator[None]:
    """Say in one line that the disk of the home is full while the corpus is written."""
    try:
        yield
    except (OSError, duckdb.Error, pa.ArrowException, CorpusError) as error:
        if not is_full_disk(error):
            raise
        raise ConfigError(
            f"the disk of {home.root} is full. The corpus is whole, and nothing half-written is visible in it:"
            " make room and run it again."
        ) from error


def check_room(home: Home, n_bytes: int) -> None:
    """Refuse to begin with what the disk of the home has no room for."""
    if shutil.disk_usage(home.root).free < n_bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(home.root))
