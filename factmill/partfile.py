"""A file while it arrives: NAME.part with its digests so far, and NAME.part.json with the state of the file it is of.

The two never disagree: the old part is gone before a new state is written down, and bytes follow after that. So what a
killed run left can be taken up again.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from factmill.errors import ConfigError
from factmill.fetch_record import Remote
from factmill.home import DISK_IS_FULL, write_atomically
from factmill.progress import Advance

_CHUNK_BYTES = 1 << 20


class PartFile:
    """The part of a file that is here, digested as it comes."""

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(f"{target.name}.part")
        self.n_bytes = 0
        self.state: Remote | None = None
        self._target = target
        self._state_file = target.with_name(f"{target.name}.part.json")
        self._algorithms: tuple[str, ...] = ()
        self._restart_digests(())

    def take_up(self, remote: Remote, algorithms: Iterable[str], advance: Advance) -> None:
        """Go on with what is left of an earlier run if it is of this state of the file, else with nothing."""
        self._restart_digests(algorithms)
        if not remote.is_resumable or remote.n_bytes is None or self._left_state() != remote:
            self.clear()
            return
        self.state = remote
        try:
            # The last byte is fetched in any case, so that the server confirms a part that is already whole.
            if self.path.stat().st_size >= remote.n_bytes:
                os.truncate(self.path, remote.n_bytes - 1)
            with self.path.open("rb") as file:
                while chunk := file.read(_CHUNK_BYTES):
                    self._count(chunk)
                    advance(len(chunk))
        except FileNotFoundError:
            self.clear()

    def start(self, remote: Remote) -> None:
        """Begin with nothing, for this state of the file."""
        self.clear()
        try:
            write_atomically(self._state_file, remote.model_dump_json(indent=2) + "\n")
        except OSError as error:
            raise self._not_written(error) from error
        self.state = remote

    def write(self, chunks: Iterable[bytes], advance: Advance) -> None:
        """Add bytes as they come; what was written stays if they end with an error."""
        with self.path.open("ab", buffering=0) as file:
            for chunk in chunks:
                rest = memoryview(chunk)
                while rest:
                    try:
                        written = file.write(rest)
                    except OSError as error:
                        raise self._not_written(error) from error
                    self._count(rest[:written])
                    advance(written)
                    rest = rest[written:]

    def digest(self, algorithm: str) -> str:
        """Return the digest of what is here, in one of the algorithms it was started with."""
        return self._digests[algorithm].hexdigest()

    def clear(self) -> None:
        """Delete what is here."""
        self.path.unlink(missing_ok=True)
        self._state_file.unlink(missing_ok=True)
        self.state = None
        self._restart_digests(self._algorithms)

    def publish(self) -> None:
        """Give the whole file its name."""
        try:
            with self.path.open("rb+") as file:
                os.fsync(file.fileno())
            os.replace(self.path, self._target)
        except OSError as error:
            raise self._not_written(error) from error
        self._state_file.unlink(missing_ok=True)

    def _left_state(self) -> Remote | None:
        try:
            return Remote.model_validate_json(self._state_file.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _restart_digests(self, algorithms: Iterable[str]) -> None:
        self._algorithms = tuple(algorithms)
        self._digests = {name: hashlib.new(name, usedforsecurity=False) for name in self._algorithms}
        self.n_bytes = 0

    def _count(self, chunk: bytes | memoryview) -> None:
        for digest in self._digests.values():
            digest.update(chunk)
        self.n_bytes += len(chunk)

    def _not_written(self, error: OSError) -> ConfigError:
        if error.errno in DISK_IS_FULL:
            kept = f"{self.n_bytes:,} bytes are kept in {self.path.name}"
            if not (self.state and self.state.is_resumable):
                self.clear()
                kept = "What came cannot be resumed and is deleted"
            return ConfigError(f"the disk of {self.path.parent} is full. {kept}: make room and run it again.")
        return ConfigError(f"cannot write {self.path}: {error.strerror}.")
