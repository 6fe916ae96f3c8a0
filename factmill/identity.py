"""Which file this is: its digest, its checksum, and what changes when somebody writes to it."""

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from factmill.errors import ConfigError, SourceFormatError, SourceIncomplete
from factmill.home import check_utf8
from factmill.progress import progress

_CHUNK_BYTES = 1 << 20
_SAMPLES = 32
_SAMPLE_BYTES = 32 << 10


class FileState(NamedTuple):
    """What changes when a file is written to or replaced."""

    inode: int
    n_bytes: int
    written_ns: int

    @classmethod
    def of(cls, path: Path) -> "FileState | None":
        """Return the state of a file, None if there is none."""
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(found.st_ino, found.st_size, found.st_mtime_ns)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file that must exist and hold something."""
    if path.is_dir():
        raise ConfigError(f"{path} is a folder, not a file. Name the file in it.")
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path} is no file on a disk. It is read more than once: save it to a file first.")
    if not path.is_file():
        raise ConfigError(f"{path.absolute()} does not exist. Check the path.")
    check_utf8(path)
    if path.stat().st_size == 0:
        raise SourceFormatError(f"{path} is empty. Nothing was read; fetch the file again.")
    return digest_of(path, "sha256")


def file_sample(path: Path) -> str:
    """Return a digest of a file's length and of pieces of it, to tell in an instant whether it is still the same.

    A file that is as long and differs only between the pieces has the same sample.
    """
    n_bytes = path.stat().st_size
    step = max(_SAMPLE_BYTES, (n_bytes - _SAMPLE_BYTES) // (_SAMPLES - 1))
    digest = hashlib.sha256(f"{n_bytes}\n".encode())
    with path.open("rb") as file:
        for start in range(0, n_bytes, step):
            file.seek(start)
            digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()


def digest_of(path: Path, algorithm: str) -> str:
    """Return the digest of a file in one of hashlib's algorithms."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    with path.open("rb") as file, progress(f"checking {path.name}", path.stat().st_size, "bytes") as advance:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            advance(len(chunk))
    return digest.hexdigest()


def check_digest(path: Path, expected: str) -> None:
    """Compare a file with a checksum; its length tells which kind it is."""
    kind = {32: "md5", 40: "sha1", 64: "sha256"}.get(len(expected))
    if kind is None or not re.fullmatch("[0-9A-Fa-f]+", expected):
        raise ConfigError(f"{expected[:80]!r} is no checksum: give the hexadecimal digits of MD5, SHA-1 or SHA-256.")
    found = digest_of(path, kind)
    if found != expected.lower():
        raise SourceIncomplete(
            f"{path} is not the file that was published: its {kind.upper()} is {found}, not {expected.lower()}."
            " Nothing was staged; fetch the file again."
        )
