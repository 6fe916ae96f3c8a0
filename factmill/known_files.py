"""Digests of files that were read before: a gigabyte takes most of a second, and a large index has fifty.

A file counts as the one that was read if its number on the disk, its size and its times are the same; a copy has other
ones. What is known stands in the user's cache, not beside the files, which somebody else may have made.
"""

import hashlib
import json
import os
import time
from pathlib import Path

from factmill.home import write_atomically
from factmill.settings import settings

_SETTLED_NANOSECONDS = 2_000_000_000
"""A file that was just written may be written again without another time."""


class KnownFiles:
    """What is known of the files of one folder."""

    def __init__(self, folder: Path) -> None:
        name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
        self._note = settings().cache / "digests" / f"{name}.json"
        self._known = _read(self._note)
        self._is_new = False

    def sha256(self, file: Path) -> str:
        """Return the digest of a file."""
        state = _state(file)
        told = self._known.get(file.name)
        if told and told[0] == state:
            return told[1]
        digest = digest_of(file)
        if state == _state(file) and _is_settled(file):
            self._known[file.name] = (state, digest)
            self._is_new = True
        return digest

    def forget(self) -> None:
        """Read every file again."""
        self._is_new = self._is_new or bool(self._known)
        self._known = {}

    def remember(self, files: set[str]) -> None:
        """Write down what is known of these files; where that cannot be, they are read again next time."""
        if not self._is_new:
            return
        self._known = {name: told for name, told in self._known.items() if name in files}
        try:
            self._note.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._note, json.dumps(self._known))
        except OSError:
            return
        self._is_new = False


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _state(file: Path) -> str:
    told = file.stat()
    return f"{told.st_dev} {told.st_ino} {told.st_size} {told.st_mtime_ns} {told.st_ctime_ns}"


def _is_settled(file: Path) -> bool:
    told = file.stat()
    return time.time_ns() - max(told.st_mtime_ns, told.st_ctime_ns) > _SETTLED_NANOSECONDS


def _read(note: Path) -> dict[str, tuple[str, str]]:
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
        return {str(name): (str(state), str(digest)) for name, (state, digest) in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
