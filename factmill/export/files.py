"""Files and folders that appear under their names when they are complete, with a digest of what they hold."""

import gzip
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from factmill.errors import ConfigError

_GZIP_LEVEL = 6


class NewFile:
    """A file in the making; what is written is gzipped if its name says so."""

    def __init__(self, path: Path, unfinished: Path) -> None:
        self.path = path
        self._digest = hashlib.sha256()
        self._raw: BinaryIO = unfinished.open("wb")
        # Without name and time in its head, so that equal pairs make equal files.
        self._packed = gzip.GzipFile("", "wb", _GZIP_LEVEL, _Sink(self), 0) if path.suffix == ".gz" else None

    def write(self, data: bytes) -> None:
        """Add some bytes."""
        try:
            (self._packed or _Sink(self)).write(data)
        except OSError as error:
            raise _not_written(self.path, error) from error

    def close(self) -> None:
        """Write what is left."""
        try:
            if self._packed:
                self._packed.close()
            self._raw.close()
        except OSError as error:
            raise _not_written(self.path, error) from error

    def abandon(self) -> None:
        """Close without caring for what is left."""
        self._raw.close()

    @property
    def sha256(self) -> str:
        """Return the digest of the file as it lies on the disk."""
        return self._digest.hexdigest()

    def store(self, data: bytes) -> int:
        """Put bytes on the disk as they are; none any more once the file is abandoned."""
        if not self._raw.closed:
            self._digest.update(data)
            self._raw.write(data)
        return len(data)


class _Sink:
    """What gzip writes to."""

    def __init__(self, file: NewFile) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        return self._file.store(data)

    def flush(self) -> None:
        """Do nothing: the file is flushed when it is closed."""


@contextmanager
def new_files(*paths: Path) -> Iterator[list[NewFile]]:
    """Give files to write; the last one gets its name first, so where the first one is, all are."""
    for path in paths:
        _check_place(path)
    unfinished = [path.with_name(f".{path.name}.{os.getpid()}") for path in paths]
    with ExitStack() as stack:
        files = []
        for path, temporary in zip(paths, unfinished, strict=True):
            stack.callback(temporary.unlink, missing_ok=True)
            try:
                files.append(NewFile(path, temporary))
            except OSError as error:
                raise _not_written(path, error) from error
            stack.callback(files[-1].abandon)
        yield files
        for file in files:
            file.close()
        for file, temporary in reversed(list(zip(files, unfinished, strict=True))):
            try:
                os.replace(temporary, file.path)
            except OSError as error:
                raise _not_written(file.path, error) from error


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give a folder to fill that gets its name at the end."""
    _check_place(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.mkdir()
        yield unfinished
        os.replace(unfinished, path)
    except OSError as error:
        raise _not_written(path, error) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _check_place(path: Path) -> None:
    if path.exists():
        raise ConfigError(f"{path} exists already. Delete it or choose another name.")
    if not path.parent.is_dir():
        raise ConfigError(f"{path.parent} is not a folder. Make it first.")


def _not_written(path: Path, error: OSError) -> ConfigError:
    # Arrow's own errors have a number, too, but another text.
    why = os.strerror(error.errno) if error.errno else str(error)
    return ConfigError(f"cannot write {path}: {why}. Nothing was exported.")
