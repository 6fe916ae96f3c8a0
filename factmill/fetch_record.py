"""NAME.fetched.json: what the server said about a file that was fetched whole, and what was found out about it.

It is deleted before its file is replaced and written after: a record never stands beside a file that it is not of.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from factmill.errors import ConfigError, SourceIncomplete
from factmill.home import write_atomically


class Remote(BaseModel):
    """What tells one state of a file on a server from another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    etag: str | None
    last_modified: str | None
    n_bytes: int | None

    @property
    def validator(self) -> str | None:
        """What a server can compare before it sends the rest of a file: a strong ETag, or else the time."""
        return self.etag if self.has_strong_etag else self.last_modified

    @property
    def is_resumable(self) -> bool:
        """Whether the rest of this file can be asked for, and told from that of another."""
        return self.n_bytes is not None and self.validator is not None

    @property
    def has_strong_etag(self) -> bool:
        """Whether an equal ETag promises equal bytes."""
        return self.etag is not None and self.etag.startswith('"')


@dataclass(frozen=True)
class Checksum:
    """What a digest of the file must be, and who says so."""

    algorithm: str
    digest: str
    url: str


class Likeness(Enum):
    """What two descriptions tell about whether the file is the same."""

    SAME = "same"
    SAME_SIZE = "of the same size, and nothing else can be compared"
    OTHER = "other"
    UNKNOWN = "nothing can be compared"


class Record(Remote):
    """What is kept about a finished file."""

    n_bytes: int
    sha256: str
    checksum: Checksum | None
    fetched_at: datetime

    @classmethod
    def of(cls, target: Path, url: str) -> "Record | None":
        """Read the record of a file that is here as it was fetched from this address, or None."""
        record = cls.beside(target)
        if record is None or record.url != url or not target.exists():
            return None
        return record if target.stat().st_size == record.n_bytes else None

    @classmethod
    def beside(cls, target: Path) -> "Record | None":
        """Read the record of a file, None if there is none that can be read."""
        try:
            return cls.model_validate_json(_path(target).read_bytes())
        except (OSError, ValidationError):
            return None

    def write(self, target: Path) -> None:
        """Keep the record beside its file."""
        try:
            write_atomically(_path(target), self.model_dump_json(indent=2) + "\n")
        except OSError as error:
            raise ConfigError(f"{target} is whole, but {_path(target)} cannot be written: {error.strerror}.") from error

    def conditions(self) -> dict[str, str]:
        """Return the headers that ask for the file only if it is another one now."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value}

    def likeness(self, remote: Remote) -> Likeness:
        """Compare with what a server says that does not answer such questions itself."""
        if remote.n_bytes not in (None, self.n_bytes):
            return Likeness.OTHER
        if remote.etag and self.etag:
            return Likeness.SAME if remote.etag == self.etag else Likeness.OTHER
        if remote.last_modified and self.last_modified:
            return Likeness.SAME if remote.last_modified == self.last_modified else Likeness.OTHER
        return Likeness.SAME_SIZE if remote.n_bytes else Likeness.UNKNOWN


def check_as_fetched(target: Path, n_bytes: int, sha256: str) -> None:
    """Compare a file of this size and digest with its record, if it has one."""
    record = Record.beside(target)
    if record is None or (record.n_bytes, record.sha256) == (n_bytes, sha256):
        return
    found, fetched = f"{n_bytes:,} bytes", f"{record.n_bytes:,}"
    if n_bytes == record.n_bytes:
        found, fetched = f"SHA-256 {sha256}", record.sha256
    raise SourceIncomplete(
        f"{target} is not as it was fetched: it has {found}, not {fetched}. Nothing was staged; delete it and fetch it"
        f" again. (If you put another file there, delete {_path(target).name}.)"
    )


def forget(target: Path) -> None:
    """Delete the record of a file."""
    _path(target).unlink(missing_ok=True)


def _path(target: Path) -> Path:
    return target.with_name(f"{target.name}.fetched.json")
