"""Downloads: a file under its final name is whole, and the one before stays until then.

First the server is asked whether the file changed. What arrives goes to NAME.part and is taken up where it ended, in
this run or the next, but only while the server shows that it is still the same file. NAME.fetched.json keeps what the
server said about the finished file, for the next time.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
from filelock import FileLock, Timeout

from factmill.checksums import find_checksum, given_checksum
from factmill.errors import ConfigError, SourceIncomplete, SourceUnavailable
from factmill.fetch_record import Checksum, Likeness, Record, Remote, forget
from factmill.identity import digest_of
from factmill.partfile import PartFile
from factmill.patience import Patience
from factmill.progress import progress
from factmill.project import load_source
from factmill.remote import (
    MAY_PASS,
    answer,
    check_status,
    file_name,
    has_file_name,
    open_client,
    parse_url,
    remote_of,
    shown,
)
from factmill.settings import settings
from factmill.transfer import Changed, Transfer

_MAX_ROUNDS = 5

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Fetched:
    """A file that is here, and whether it is new; `checksum` is what it was compared with, None if none was found."""

    path: Path
    url: str
    is_new: bool
    n_bytes: int
    n_bytes_transferred: int
    sha256: str
    checksum: Checksum | None
    seconds: float


def fetch_wikidata(
    url: str | None = None, to: Path | None = None, checksums: str | None = None, *, tell: Tell = lambda _: None
) -> Fetched:
    """Fetch the truthy dump from where the settings say, or from elsewhere."""
    chosen = settings()
    if url is None or url == chosen.wikidata_url:
        checksums = checksums or chosen.wikidata_checksums
    return fetch(url or chosen.wikidata_url, to or chosen.downloads, checksums=checksums, tell=tell)


def fetch_imdb(url: str | None = None, to: Path | None = None, *, tell: Tell = lambda _: None) -> list[Fetched]:
    """Fetch IMDb's data sets from where the settings say, or from elsewhere, into a folder of their own."""
    chosen = settings()
    folder = f"{(url or chosen.imdb_url).rstrip('/')}/"
    target = to or chosen.downloads / "imdb"
    return [fetch(folder + name, target, tell=tell) for name in load_source("imdb").FILES]


def fetch(
    url: str,
    to: Path,
    *,
    checksums: str | None = None,
    timeout_seconds: float = 60,
    attempts: int = 6,
    wait_seconds: float = 1,
    tell: Tell = lambda _: None,
) -> Fetched:
    """Bring a file into a folder, unless it is there and unchanged; `tell` hears what happens on the way."""
    address = parse_url(url)
    target = to / file_name(address)
    if target.is_dir():
        raise ConfigError(f"{target} is a folder. Choose another place with --to.")
    with _alone_in(to), open_client(timeout_seconds) as client:
        return _Fetch(client, address, target, checksums, Patience(attempts, wait_seconds, tell), tell).run()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    lock = FileLock(folder / ".fetch.lock", timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise ConfigError(
            f"another fetch is at work in {folder}. Wait for it, or choose another folder with --to."
        ) from error
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error.strerror}. Choose another folder with --to.") from error
    try:
        yield
    finally:
        lock.release()


class _Fetch:
    """One file from one address."""

    def __init__(
        self, client: httpx.Client, url: httpx.URL, target: Path, checksums: str | None, patience: Patience, tell: Tell
    ) -> None:
        self._client = client
        self._url = url
        self._target = target
        self._checksums = checksums
        self._patience = patience
        self._tell = tell
        self._part = PartFile(target)
        self._record = Record.of(target, shown(url))
        self._started = time.monotonic()

    def run(self) -> Fetched:
        """Ask whether the file changed, and bring it here if it did; if it changes meanwhile, begin again."""
        for _ in range(_MAX_ROUNDS):
            found, final_url = self._patience(self._ask)
            if isinstance(found, Record):
                return self._keep(found, final_url)
            try:
                return self._bring(found, final_url)
            except Changed as reason:
                self._part.clear()
                self._tell(f"{reason} Starting over.")
                last = reason
        raise SourceUnavailable(f"{last} This happened {_MAX_ROUNDS} times. Nothing was fetched.")

    def _ask(self) -> tuple[Record | Remote, httpx.URL]:
        """Return the record of the file that we have if it is unchanged, else what is there; and where in the end."""
        conditions = self._record.conditions() if self._record else {}
        with answer(self._client, "HEAD", self._url, conditions) as response:
            if not _is_refused(response):
                return self._understand(response), response.url
        with answer(self._client, "GET", self._url, conditions) as response:
            return self._understand(response), response.url

    def _understand(self, response: httpx.Response) -> Record | Remote:
        if self._record and response.status_code == 304:
            return self._record
        check_status(response, self._url)
        remote = remote_of(response, self._url)
        likeness = self._record.likeness(remote) if self._record else Likeness.OTHER
        if likeness is Likeness.SAME_SIZE:
            self._tell(f"{shown(self._url)} has neither ETag nor time of change: only its size is compared.")
        if likeness is Likeness.UNKNOWN:
            self._tell(f"{shown(self._url)} does not show whether it changed. Fetching it again.")
        if self._record and likeness in (Likeness.SAME, Likeness.SAME_SIZE):
            return self._record
        return remote

    def _bring(self, remote: Remote, final_url: httpx.URL) -> Fetched:
        """Transfer the file, compare it with its checksum and give it its name."""
        checksum = self._find_checksum(final_url)
        algorithms = {"sha256", checksum.algorithm if checksum else "sha256"}
        transfer = Transfer(self._client, self._url, remote, self._part, self._tell)
        with progress(f"fetching {self._target.name}", remote.n_bytes or 0, "bytes") as advance:
            was_begun = self._part.path.exists()
            self._part.take_up(remote, algorithms, advance)
            if self._part.n_bytes:
                self._tell(f"Resuming after {self._part.n_bytes:,} bytes.")
            elif was_begun:
                self._tell(f"{self._part.path.name} is not of the file as it is now. Starting over.")
            self._patience(
                lambda: transfer.run(advance, has_checksum=checksum is not None), reached=lambda: self._part.n_bytes
            )
        if checksum and self._part.digest(checksum.algorithm) != checksum.digest:
            seen = self._part.digest(checksum.algorithm)
            self._part.clear()
            raise SourceIncomplete(f"{_mismatch(self._target.name, checksum, seen)} It was deleted; fetch it again.")
        return self._publish(self._part.state or remote, checksum, transfer.n_bytes)

    def _find_checksum(self, final_url: httpx.URL) -> Checksum | None:
        try:
            return self._patience(lambda: self._published(final_url))
        except SourceUnavailable as error:
            if self._checksums:
                raise
            self._tell(f"{error} The file is not compared with a checksum.")
            return None

    def _published(self, final_url: httpx.URL) -> Checksum | None:
        urls = [url for url in dict.fromkeys((self._url, final_url)) if has_file_name(url)]
        if self._checksums:
            return given_checksum(self._client, self._checksums, [file_name(url) for url in urls])
        found = (find_checksum(self._client, url, self._tell) for url in urls)
        return next((checksum for checksum in found if checksum), None)

    def _publish(self, remote: Remote, checksum: Checksum | None, n_bytes_transferred: int) -> Fetched:
        record = Record(
            url=remote.url,
            etag=remote.etag,
            last_modified=remote.last_modified,
            n_bytes=self._part.n_bytes,
            sha256=self._part.digest("sha256"),
            checksum=checksum,
            fetched_at=datetime.now(UTC),
        )
        forget(self._target)
        self._part.publish()
        record.write(self._target)
        return self._fetched(record, n_bytes_transferred, is_new=True)

    def _keep(self, record: Record, final_url: httpx.URL) -> Fetched:
        """Return the file that is here; a given checksum that it was not compared with yet is compared now."""
        self._part.clear()
        if self._checksums and (record.checksum is None or record.checksum.url != shown(parse_url(self._checksums))):
            checksum = self._find_checksum(final_url)
            if checksum and (seen := digest_of(self._target, checksum.algorithm)) != checksum.digest:
                raise SourceIncomplete(f"{_mismatch(str(self._target), checksum, seen)} Delete it and fetch it again.")
            record = record.model_copy(update={"checksum": checksum})
            record.write(self._target)
        return self._fetched(record, 0, is_new=False)

    def _fetched(self, record: Record, n_bytes_transferred: int, *, is_new: bool) -> Fetched:
        seconds = round(time.monotonic() - self._started, 3)
        return Fetched(
            path=self._target,
            url=record.url,
            is_new=is_new,
            n_bytes=record.n_bytes,
            n_bytes_transferred=n_bytes_transferred,
            sha256=record.sha256,
            checksum=record.checksum,
            seconds=seconds,
        )


def _is_refused(response: httpx.Response) -> bool:
    """Tell whether a server does not like to be asked about a file, which they say in many ways."""
    if response.is_client_error:
        return response.status_code not in MAY_PASS
    return response.status_code in (500, 501)


def _mismatch(name: str, checksum: Checksum, seen: str) -> str:
    return f"{name} has the {checksum.algorithm} {seen}, but {checksum.url} says {checksum.digest}."
