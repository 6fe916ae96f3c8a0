"""Compressed files read as what they hold, with the place of every byte.

Dumps are many streams one after the other (gzip members, bzip2 streams, Zstandard frames), and a decompressor stops
silently after the first, so we walk from stream to stream. A place is the start of the stream in the file and the
offset in what the stream holds: enough to read on from there without inflating what stands before the stream.
A plain file is one stream that starts at 0.
"""

import bz2
import re
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import IO, NamedTuple, Protocol, cast

from isal import igzip_lib

from factmill.errors import SourceFormatError, SourceIncomplete

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError

# Small enough to stay in the processor's cache until the bytes are used: larger pieces took half as long again.
_READ_BYTES = 128 << 10
_INFLATE_BYTES = 512 << 10
_SLACK_BYTES = 64 << 20
# Parallel packers put such a frame before each that holds something.
_SKIPPABLE_FRAME = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
DAMAGE = (cast(type[Exception], igzip_lib.error), ZstdError, OSError, ValueError, EOFError)


class Decompressor(Protocol):
    """What bz2's, Zstandard's and isal's decompressors have in common."""

    @property
    def eof(self) -> bool: ...  # noqa: D102
    @property
    def needs_input(self) -> bool: ...  # noqa: D102
    @property
    def unused_data(self) -> bytes: ...  # noqa: D102
    def decompress(self, data: bytes, max_length: int) -> bytes: ...  # noqa: D102


def gzip_decompressor() -> Decompressor:
    """Return a decompressor for one gzip member."""
    return cast(Decompressor, igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP))


class Packing(Enum):
    """How a file is compressed: its name for people, that of a stream, the suffix, the first bytes, what opens one."""

    PLAIN = ("plain", "file", "", b"", None)
    GZIP = ("gzip", "gzip member", ".gz", b"\x1f\x8b", gzip_decompressor)
    BZIP2 = ("bzip2", "bzip2 stream", ".bz2", b"BZh", bz2.BZ2Decompressor)
    ZSTANDARD = ("Zstandard", "Zstandard frame", ".zst", b"\x28\xb5\x2f\xfd", ZstdDecompressor)

    def __init__(
        self, title: str, stream: str, suffix: str, magic: bytes, opener: Callable[[], Decompressor] | None
    ) -> None:
        self.title = title
        self.stream = stream
        self.suffix = suffix
        self.magic = magic
        self.opener = opener

    @classmethod
    def of(cls, path: Path) -> "Packing":
        """Tell by its first bytes how a file is compressed; a name that says otherwise is an error."""
        with path.open("rb") as file:
            beginning = file.read(4)
        packed = [packing for packing in cls if packing.opener]
        named = next((packing for packing in packed if path.suffix == packing.suffix), None)
        found = next((packing for packing in packed if beginning.startswith(packing.magic)), cls.PLAIN)
        if _SKIPPABLE_FRAME.match(beginning):
            found = cls.ZSTANDARD
        if named and found is not named:
            raise SourceFormatError(
                f"{path} is not a {named.title} file: it begins with {beginning!r}."
                " Nothing was staged; fetch the file again."
            )
        return found


class Window(NamedTuple):
    """A part of a file that is read on its own. It starts where a stream does; in a plain file anywhere."""

    start: int
    end: int


class Chunk(NamedTuple):
    """Some bytes of what a file holds."""

    data: bytes
    stream: int
    offset: int
    n_read: int
    """How far into the file has been read."""
    is_after: bool
    """Whether it stands after the window."""


def read_chunks(path: Path, window: Window, max_expansion: int) -> Iterator[Chunk]:
    """Yield what a file holds from the start of the window on, to its end for as long as the reader wants more.

    A file that ends inside a stream raises SourceIncomplete, one that grows more than `max_expansion` times when it is
    decompressed raises SourceFormatError.
    """
    packing = Packing.of(path)
    with path.open("rb") as file:
        file.seek(window.start)
        if packing.opener is None:
            yield from _plain_chunks(file, window)
        else:
            yield from _Streams(path, packing, packing.opener, window, max_expansion).chunks(file)


def _plain_chunks(file: IO[bytes], window: Window) -> Iterator[Chunk]:
    position = window.start
    while True:
        is_after = position >= window.end
        data = file.read(_INFLATE_BYTES if is_after else min(_INFLATE_BYTES, window.end - position))
        if not data:
            return
        yield Chunk(data, 0, position, position + len(data), is_after)
        position += len(data)


class _Streams:
    """Walks through the compressed streams of a file."""

    def __init__(
        self, path: Path, packing: Packing, opener: Callable[[], Decompressor], window: Window, max_expansion: int
    ) -> None:
        self._path = path
        self._title = packing.stream
        # Tapes and block devices fill up a gzip file with zeros, which no member begins with.
        self._padding = b"\0" if packing is Packing.GZIP else b""
        self._opener = opener
        self._window = window
        self._max_expansion = max_expansion
        self._n_inflated = 0

    def chunks(self, file: IO[bytes]) -> Iterator[Chunk]:
        unread = b""
        was_inside = True
        while unread := unread or file.read(_READ_BYTES):
            unread = unread.lstrip(self._padding)
            if not unread:
                continue
            stream = file.tell() - len(unread)
            is_after = stream >= self._window.end
            if is_after and was_inside:
                self._check_end(stream)
            was_inside = not is_after
            decompressor = self._opener()
            offset = 0
            while not decompressor.eof:
                if decompressor.needs_input:
                    unread = unread or file.read(_READ_BYTES)
                    if not unread:
                        raise SourceIncomplete(
                            f"{self._path} ends inside a {self._title} (the one that starts at byte {stream:,})."
                            " Nothing was staged; fetch the file again."
                        )
                data = self._inflate(decompressor, unread, stream)
                unread = b""
                if data:
                    self._check_expansion(len(data), file.tell())
                    yield Chunk(data, stream, offset, file.tell(), is_after)
                    offset += len(data)
            unread = decompressor.unused_data
        if was_inside:
            self._check_end(file.tell())

    def _check_end(self, end: int) -> None:
        """Make sure that a stream ends where the window does: what looks like the start of one may stand inside one."""
        if end != self._window.end:
            raise SourceFormatError(
                f"{self._path} cannot be read in windows: what begins at byte {self._window.end:,} looks like a stream,"
                " but is a part of one. Nothing was staged; to read the file as one window, set FACTMILL_WINDOW_BYTES"
                f" to {self._path.stat().st_size}."
            )

    def _inflate(self, decompressor: Decompressor, data: bytes, stream: int) -> bytes:
        try:
            return decompressor.decompress(data, _INFLATE_BYTES)
        except DAMAGE as error:
            if "too much memory" in str(error):
                raise SourceFormatError(
                    f"{self._path} was packed with a window too large to unpack in bounded memory (zstd --long=28 or"
                    " more). Nothing was staged; pack it again without that."
                ) from error
            raise SourceFormatError(
                f"{self._path} is damaged in the {self._title} that starts at byte {stream:,} ({error})."
                " Nothing was staged; fetch the file again."
            ) from error

    def _check_expansion(self, n_bytes: int, position: int) -> None:
        self._n_inflated += n_bytes
        if self._n_inflated > (position - self._window.start) * self._max_expansion + _SLACK_BYTES:
            raise SourceFormatError(
                f"{self._path} grows more than {self._max_expansion}-fold when it is decompressed (before byte"
                f" {position:,}). No dump does; if yours does, raise FACTMILL_MAX_EXPANSION. Nothing was staged."
            )
