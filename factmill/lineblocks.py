"""Chunks of a dump put together to blocks of whole lines, each line with the place it came from.

A line belongs to the window that holds the byte before it. So two windows agree about the line at their border without
knowing each other: a window skips to its first line end, and reads on to the first line end after it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from factmill.dumpfile import Chunk, Window, read_chunks
from factmill.settings import settings

_PADDING = bytes(8)
_READ_LINES_BYTES = 1 << 20
_MAX_LINE_BYTES = 64 << 20
_MOST_EXPANSION = 2048
"""More than gzip can hold in a byte, so that positions in a window are below those in the next."""


class Piece(NamedTuple):
    """Where a part of a block comes from: the part begins at `start` in the block and at `offset` in the stream.

    `position` grows along the file.
    """

    start: int
    stream: int
    offset: int
    position: int

    def at(self, start: int) -> "Piece":
        """Return the piece that begins at another place of the same block."""
        step = start - self.start
        return Piece(start, self.stream, self.offset + step, self.position + step)


class Block(NamedTuple):
    """Some whole lines, each with its line end, in the first `n_bytes` of the data. At least eight bytes follow."""

    data: bytes
    n_bytes: int
    pieces: list[Piece]
    n_read: int
    """How far into the file it goes."""

    @classmethod
    def of_lines(cls, lines: list[bytes], pieces: list[Piece]) -> "Block":
        """Put lines together that come from elsewhere."""
        data = b"".join([*lines, _PADDING])
        return cls(data, len(data) - len(_PADDING), pieces, 0)

    def piece_of(self, start: int) -> Piece:
        """Tell where the line comes from that begins here in the block."""
        return next(piece for piece in reversed(self.pieces) if piece.start <= start).at(start)

    def line(self, start: int) -> bytes:
        """Return the line that begins here in the block, without its line end."""
        return self.data[start : self.data.index(b"\n", start)].removesuffix(b"\r")


class LineBlocks:
    """Puts the chunks of a window together to blocks of whole lines."""

    def __init__(self, block_bytes: int, max_line_bytes: int) -> None:
        self._block_bytes = block_bytes
        self._max_line_bytes = max_line_bytes
        self._parts: list[bytes] = []
        self._pieces: list[Piece] = []
        self._n_bytes = 0
        self._n_unfinished = 0
        self._position = 0

    def of(self, chunks: Iterable[Chunk], window: Window) -> Iterator[Block]:
        """Yield the lines that belong to the window, in blocks of about the size asked for.

        The last line of a file may lack its line end. A line over the limit comes cut to a bit more than the limit, so
        that nobody has to hold it.
        """
        n_read = window.start
        self._position = window.start * _MOST_EXPANSION
        for chunk in _lines_of_window(chunks, window):
            n_read = chunk.n_read
            self._add(chunk)
            if self._n_bytes - self._n_unfinished >= self._block_bytes:
                yield self._take(n_read)
        if self._n_unfinished:
            self._parts.append(b"\n")
            self._n_bytes += 1
            self._n_unfinished = 0
        if self._n_bytes:
            yield self._take(n_read)

    def _add(self, chunk: Chunk) -> None:
        data, offset = chunk.data, chunk.offset
        if self._n_unfinished > self._max_line_bytes:
            # The beginning of this line is kept, the rest is let go.
            line_end = data.find(b"\n")
            if line_end < 0:
                return
            data, offset = data[line_end:], offset + line_end
        self._pieces.append(Piece(self._n_bytes, chunk.stream, offset, self._position))
        self._parts.append(data)
        self._n_bytes += len(data)
        self._position += len(data)
        line_end = data.rfind(b"\n")
        self._n_unfinished = len(data) - line_end - 1 if line_end >= 0 else self._n_unfinished + len(data)

    def _take(self, n_read: int) -> Block:
        """Return what is whole and keep the rest."""
        data = b"".join([*self._parts, _PADDING])
        cut = self._n_bytes - self._n_unfinished
        block = Block(data, cut, [piece for piece in self._pieces if piece.start < cut], n_read)
        rest = [piece for piece in self._pieces if piece.start >= cut]
        if self._n_unfinished and (not rest or rest[0].start > cut):
            rest.insert(0, block.piece_of(cut))
        self._pieces = [piece._replace(start=piece.start - cut) for piece in rest]
        self._parts = [data[cut : self._n_bytes]]
        self._n_bytes = self._n_unfinished
        return block


def _lines_of_window(chunks: Iterable[Chunk], window: Window) -> Iterator[Chunk]:
    """Cut off the beginning of the first line, which belongs to the window before, and what comes after the last."""
    is_begun = window.start == 0
    for chunk in chunks:
        line_end = chunk.data.find(b"\n")
        if not is_begun:
            if line_end < 0:
                continue
            if chunk.is_after:
                return
            is_begun = True
            chunk = chunk._replace(data=chunk.data[line_end + 1 :], offset=chunk.offset + line_end + 1)
        elif chunk.is_after and line_end >= 0:
            yield chunk._replace(data=chunk.data[: line_end + 1])
            return
        if chunk.data:
            yield chunk


def read_lines(path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield each line of a file, and how far into the file it goes. A line of many megabytes comes without its end."""
    window = Window(0, path.stat().st_size)
    chunks = read_chunks(path, window, settings().max_expansion)
    for block in LineBlocks(_READ_LINES_BYTES, _MAX_LINE_BYTES).of(chunks, window):
        for line in block.data[: block.n_bytes - 1].split(b"\n"):
            yield line.removesuffix(b"\r"), block.n_read
