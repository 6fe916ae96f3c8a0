"""The bytes of one state of a file on a server: what is missing of its part is asked for, and every claim is checked.

A server may answer with the rest, with the whole file again, or with the rest of another file. Only what it shows to
belong to the bytes that are here is added to them.
"""

import shutil
import time
from collections.abc import Callable, Iterator

import httpx

from factmill.errors import ConfigError, SourceFormatError, SourceUnavailable
from factmill.fetch_record import Remote
from factmill.partfile import PartFile
from factmill.progress import Advance
from factmill.remote import answer, check_status, content_range, remote_of, shown

_SPARE_BYTES = 1 << 20
_LEAST_BYTES_A_SECOND = 1_000


class Changed(Exception):
    """What the server sends does not, or not certainly, belong to what is here. Says why."""


class Transfer:
    """Brings the rest of a file into its part."""

    def __init__(
        self, client: httpx.Client, url: httpx.URL, remote: Remote, part: PartFile, tell: Callable[[str], None]
    ) -> None:
        self.n_bytes = 0
        self._client = client
        self._url = url
        self._remote = remote
        self._part = part
        self._tell = tell

    def run(self, advance: Advance, *, has_checksum: bool) -> None:
        """Ask once for what is missing; anything less than all of it is an error, and what came is kept."""
        headers = _headers_for_the_rest(self._part)
        with answer(self._client, "GET", self._url, headers) as response:
            if response.status_code == 416 and headers:
                raise self._changed()
            check_status(response, self._url)
            is_rest = response.status_code == 206
            end = self._end_of_rest(response) if is_rest else self._start_over(response, advance, has_checksum)
            self._check_room()
            self._part.write(self._body(response, end), advance)
        if not self._part.n_bytes:
            raise SourceFormatError(f"{shown(self._url)} is empty.")
        if self._part.n_bytes < (self._promised or 0):
            raise self._ended_early()

    @property
    def _promised(self) -> int | None:
        return self._part.state.n_bytes if self._part.state else None

    def _end_of_rest(self, response: httpx.Response) -> int:
        """Return where an answer with a part of the file ends, if it continues what is here."""
        state = self._part.state
        if not state or not self._part.n_bytes:
            raise SourceFormatError(f"{shown(self._url)} sends a part of the file where all of it was asked for.")
        try:
            seen, found = remote_of(response, self._url), content_range(response, self._url)
        except SourceFormatError as error:
            raise Changed(str(error)) from error
        if state.has_strong_etag and seen.etag == state.etag and seen.n_bytes not in (None, state.n_bytes):
            raise self._two_lengths(state.n_bytes, seen.n_bytes)
        if not _is_certainly_same(seen, state):
            raise self._changed()
        if found.first != self._part.n_bytes or not found.first <= found.last < (state.n_bytes or 0):
            raise Changed(
                f"{shown(self._url)} was asked for the bytes from {self._part.n_bytes:,} of {state.n_bytes:,}"
                f" and sends those from {found.first:,} to {found.last:,}."
            )
        return found.last + 1

    def _changed(self) -> Changed:
        return Changed(f"{shown(self._url)} changed in the middle.")

    def _start_over(self, response: httpx.Response, advance: Advance, has_checksum: bool) -> int | None:
        """Return the length of an answer with the whole file, which replaces what is here."""
        seen = remote_of(response, self._url)
        self._check_same(seen)
        is_chunked = "chunked" in response.headers.get("transfer-encoding", "").lower()
        if seen.n_bytes is None and self._remote.n_bytes is not None:
            # It was said when we asked about the file.
            seen = seen.model_copy(update={"n_bytes": self._remote.n_bytes})
        if not is_chunked and not has_checksum and seen.n_bytes is None and "content-length" not in response.headers:
            raise SourceFormatError(
                f"{shown(self._url)} does not say how long the file is, so nobody can tell when it is whole."
                " Name its checksums with --checksums."
            )
        if self._part.n_bytes:
            self._tell(f"{shown(self._url)} cannot be resumed. Starting over.")
            advance(-self._part.n_bytes)
        self._part.start(seen)
        return seen.n_bytes

    def _check_same(self, seen: Remote) -> None:
        """Refuse a file that is another one than that we asked about; what is not said is not compared."""
        expected = self._remote
        is_same = all(
            None in pair or pair[0] == pair[1]
            for pair in ((seen.etag, expected.etag), (seen.last_modified, expected.last_modified))
        )
        is_as_long = None in (seen.n_bytes, expected.n_bytes) or seen.n_bytes == expected.n_bytes
        if is_same and not is_as_long and seen.has_strong_etag and expected.has_strong_etag:
            raise self._two_lengths(expected.n_bytes, seen.n_bytes)
        if not is_same or not is_as_long:
            raise self._changed()

    def _two_lengths(self, first: int | None, second: int | None) -> SourceFormatError:
        return SourceFormatError(
            f"{shown(self._url)} says that its file has {first:,} bytes, and then that the same file has {second:,}."
        )

    def _check_room(self) -> None:
        if self._promised is None:
            return
        needed = self._promised - self._part.n_bytes + _SPARE_BYTES
        free = shutil.disk_usage(self._part.path.parent).free
        if free < needed:
            raise ConfigError(
                f"the disk of {self._part.path.parent} is too small: {needed:,} bytes are needed, {free:,} are free."
                " Make room, or choose another folder with --to."
            )

    def _body(self, response: httpx.Response, end: int | None) -> Iterator[bytes]:
        """Yield the bytes of an answer, but none beyond its promised end, and not if they only trickle in."""
        pace = _Pace(self._client.timeout.read or 0, shown(self._url))
        try:
            for chunk in response.iter_raw():
                pace.check(len(chunk))
                if end is not None and self._part.n_bytes + len(chunk) > end:
                    self._part.clear()
                    raise SourceFormatError(
                        f"{shown(self._url)} sends more than the {end:,} bytes that it promised. Nothing of it is kept."
                    )
                yield chunk
                self.n_bytes += len(chunk)
        except httpx.RemoteProtocolError as error:
            raise self._ended_early() from error

    def _ended_early(self) -> SourceUnavailable:
        of = f" of {self._promised:,}" if self._promised else ""
        return SourceUnavailable(f"{shown(self._url)} ended after {self._part.n_bytes:,}{of} bytes.")


class _Pace:
    """Gives up on a server that sends so little that no download would ever end, but never stops to."""

    def __init__(self, seconds: float, what: str) -> None:
        self._seconds = seconds
        self._what = what
        self._began = time.monotonic()
        self._n_bytes = 0

    def check(self, n_bytes: int) -> None:
        self._n_bytes += n_bytes
        took = time.monotonic() - self._began
        if took < self._seconds:
            return
        if self._n_bytes < took * _LEAST_BYTES_A_SECOND:
            raise SourceUnavailable(f"{self._what} sends only {self._n_bytes:,} bytes in {took:.0f} s.")
        self._began, self._n_bytes = time.monotonic(), 0


def _is_certainly_same(seen: Remote, state: Remote) -> bool:
    """Tell whether an answer shows by something that it is of this state, and by nothing that it is not."""
    pairs = [(seen.etag, state.etag), (seen.last_modified, state.last_modified)]
    told = [one == other for one, other in pairs if one is not None and other is not None]
    is_as_long = seen.n_bytes in (None, state.n_bytes)
    return is_as_long and (seen.etag == state.etag if state.has_strong_etag else bool(told) and all(told))


def _headers_for_the_rest(part: PartFile) -> dict[str, str]:
    """Ask for what is missing, on the condition that the file is still the same; for all of it if that is no use."""
    state = part.state
    if not part.n_bytes or state is None or not state.is_resumable or state.validator is None:
        return {}
    return {"Range": f"bytes={part.n_bytes}-", "If-Range": state.validator}
