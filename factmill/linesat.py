"""Lines of a dump read at their places, without what stands before the stream that they begin in.

A place is the start of the stream in the file and the offset in what it holds (factmill/dumpfile.py). A line may go on
in the next stream. The places of one stream are read in one go, so a thousand of them cost little more than their
streams; what stands between them is inflated and let go.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from factmill.dumpfile import Packing, Window, read_chunks
from factmill.errors import SourceError
from factmill.settings import settings

_MAX_LINE_BYTES = 4 << 20
_PLACE = re.compile(r"([0-9]{1,18})\+([0-9]{1,18})")

T = TypeVar("T")


class DumpPlace(NamedTuple):
    """Where a line begins."""

    stream: int
    offset: int

    @classmethod
    def parse(cls, text: str) -> "DumpPlace | None":
        """Read `1234+567`.

        >>> DumpPlace.parse("1234+567"), DumpPlace.parse("somewhere")
        (DumpPlace(stream=1234, offset=567), None)
        """
        match = _PLACE.fullmatch(text)
        return cls(int(match[1]), int(match[2])) if match else None

    def in_words(self, packing: Packing) -> str:
        """Say where it is.

        >>> DumpPlace(1234, 567).in_words(Packing.GZIP)
        'byte 567 of what the gzip member at byte 1,234 holds'
        """
        if packing is Packing.PLAIN:
            return f"byte {self.offset:,}"
        return f"byte {self.offset:,} of what the {packing.stream} at byte {self.stream:,} holds"


def read_at(
    path: Path, places: Iterable[DumpPlace], take: Callable[[Iterator[bytes]], T]
) -> Iterator[tuple[DumpPlace, T]]:
    """Yield what `take` makes of the lines from each place on; it takes as many as it wants.

    Where nothing can be read there are no lines, or the last one is cut.
    """
    is_plain = Packing.of(path) is Packing.PLAIN
    by_stream = defaultdict(set)
    for place in places:
        # A plain file needs no reading up to a place.
        by_stream[place.offset if is_plain else place.stream].add(place)
    for start, found in sorted(by_stream.items()):
        stream = _Stream(path, start, start if is_plain else 0)
        for place in sorted(found):
            yield place, take(stream.lines(place.offset))


class _Stream:
    """What a file holds from the start of a stream on; it only moves forward."""

    def __init__(self, path: Path, start: int, offset: int) -> None:
        self._chunks = read_chunks(path, Window(start, path.stat().st_size), settings().max_expansion)
        self._data = b""
        self._offset = offset
        """Where the data begins in what the stream holds."""

    def lines(self, offset: int) -> Iterator[bytes]:
        """Yield the lines from an offset on, which is not before that of the last call."""
        while self._offset + len(self._data) <= offset:
            self._offset += len(self._data)
            self._data = self._next()
            if not self._data:
                return
        self._data = self._data[offset - self._offset :]
        self._offset = offset
        start = 0
        while True:
            end = self._data.find(b"\n", start)
            while end < 0 and len(self._data) - start <= _MAX_LINE_BYTES:
                more = self._next()
                if not more:
                    break
                searched = len(self._data)
                self._data += more
                end = self._data.find(b"\n", searched)
            line = self._data[start : end if end >= 0 else len(self._data)]
            if line or end >= 0:
                yield line.removesuffix(b"\r")
            if end < 0:
                return
            start = end + 1

    def _next(self) -> bytes:
        try:
            chunk = next(self._chunks, None)
        except SourceError:
            # Damaged, or no stream begins there: either way there is nothing to read.
            return b""
        return chunk.data if chunk else b""
