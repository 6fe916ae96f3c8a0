"""Lines of a dump file, each with the place it came from.

Wikimedia's .gz files are many gzip members one after the other, and a decompressor stops silently after the first, so
we walk from member to member. A place is the start of the member in the file and the offset of the line in the member:
enough to read the line again without inflating what stands before that member.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, cast

from isal import isal_zlib

from factmill.errors import ConfigError, SourceFormatError, SourceIncomplete

_CHUNK_BYTES = 1 << 20
_MAX_LINE_BYTES = 64 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_GzipError = cast(type[Exception], isal_zlib.error)


class Line(NamedTuple):
    """One line without its end, and where its first byte is."""

    member: int
    offset: int
    text: bytes


class _Block(NamedTuple):
    member: int
    offset: int
    data: bytes
    bytes_read: int


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file that must exist and hold something."""
    if path.is_dir():
        raise ConfigError(f"{path} is a folder, not a file. Name the file in it.")
    if not path.is_file():
        raise ConfigError(f"{path.absolute()} does not exist. Check the path.")
    if path.stat().st_size == 0:
        raise SourceFormatError(f"{path} is empty. Nothing was staged; fetch the file again.")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_lines(path: Path) -> Iterator[tuple[Line, int]]:
    """Yield each line of a plain or gzip file and the bytes of the file read so far.

    The last line may lack its line end. A file that ends inside a gzip member raises SourceIncomplete.
    """
    n_lines = 0
    rest = b""
    rest_member = rest_offset = 0
    for block in _blocks(path):
        lines = (rest + block.data).split(b"\n")
        # A line that began in an earlier block keeps the place where it began.
        member, offset = (rest_member, rest_offset) if rest else (block.member, block.offset)
        consumed = -len(rest)
        for text in lines[:-1]:
            yield Line(member, offset, text.removesuffix(b"\r")), block.bytes_read
            n_lines += 1
            consumed += len(text) + 1
            member, offset = block.member, block.offset + consumed
        rest, rest_member, rest_offset = lines[-1], member, offset
        if len(rest) > _MAX_LINE_BYTES:
            raise SourceFormatError(
                f"{path}: line {n_lines + 1:,} is longer than {_MAX_LINE_BYTES >> 20} MB. This is no dump."
            )
    if rest:
        yield Line(rest_member, rest_offset, rest), path.stat().st_size


def _blocks(path: Path) -> Iterator[_Block]:
    with path.open("rb") as file:
        is_gzip = file.read(2) == _GZIP_MAGIC
        file.seek(0)
        if is_gzip:
            yield from _gzip_blocks(path, file)
            return
        if path.suffix == ".gz":
            raise SourceFormatError(f"{path} is not a gzip file. Nothing was staged; fetch the file again.")
        offset = 0
        while data := file.read(_CHUNK_BYTES):
            yield _Block(0, offset, data, offset + len(data))
            offset += len(data)


def _gzip_blocks(path: Path, file: IO[bytes]) -> Iterator[_Block]:
    member = offset = bytes_read = 0
    inflate = isal_zlib.decompressobj(wbits=31)
    compressed = b""
    try:
        while compressed or (compressed := file.read(_CHUNK_BYTES)):
            bytes_read = file.tell()
            data = inflate.decompress(compressed, _CHUNK_BYTES)
            if data:
                yield _Block(member, offset, data, bytes_read)
                offset += len(data)
            if not inflate.eof:
                compressed = inflate.unconsumed_tail
                continue
            # `unused_data` is what follows the member in what was read so far: the next member begins there.
            compressed = inflate.unused_data
            member, offset = bytes_read - len(compressed), 0
            inflate = isal_zlib.decompressobj(wbits=31)
    except _GzipError as error:
        raise SourceFormatError(
            f"{path} is damaged near byte {member:,} ({error}). Nothing was staged; fetch the file again."
        ) from error
    if offset or member != bytes_read:
        raise SourceIncomplete(
            f"{path} ends inside a gzip member (the one that starts at byte {member:,})."
            " Nothing was staged; fetch the file again."
        )
