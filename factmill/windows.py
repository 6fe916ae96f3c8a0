"""Cuts a dump into windows that can be read on their own, side by side and one after the other.

The windows depend on the file alone, not on the number of workers, so what one run has finished another can use. A
gzip file is cut where a member starts, a plain file anywhere. bzip2 and Zstandard files are read as one window.
"""

import mmap
import re
from collections.abc import Iterator
from pathlib import Path

from factmill.dumpfile import DAMAGE, Packing, Window, gzip_decompressor

_MOST_WINDOWS = 256
_PROBE_BYTES = 256 << 10

# Identification, deflate, a name or none, time, level, system: as gzip, pigz and zlib write it.
_GZIP_HEADER = re.compile(rb"\x1f\x8b\x08[\x00\x08].{4}[\x00\x02\x04][\x00\x03\xff]", re.DOTALL)


def find_windows(path: Path, least_bytes: int) -> list[Window]:
    """Return windows that cover the file, each of this size at least."""
    packing, size = Packing.of(path), path.stat().st_size
    step = max(least_bytes, -(-size // _MOST_WINDOWS))
    cuts = range(step, size - step // 2, step)
    if packing is Packing.GZIP:
        starts = [0, *_member_starts(path, cuts)]
    elif packing is Packing.PLAIN:
        starts = [0, *cuts]
    else:
        starts = [0]
    return [Window(start, end) for start, end in zip(starts, [*starts[1:], size], strict=True)]


def _member_starts(path: Path, cuts: range) -> Iterator[int]:
    """Yield the first member after each cut, if there is one before the next."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for cut in cuts:
            for header in _GZIP_HEADER.finditer(content, cut, min(cut + cuts.step, len(content))):
                if _is_member(content[header.start() : header.start() + _PROBE_BYTES]):
                    yield header.start()
                    break


def _is_member(beginning: bytes) -> bool:
    """Tell whether this can be inflated: what only looks like a header cannot."""
    try:
        return len(gzip_decompressor().decompress(beginning, -1)) > 0
    except DAMAGE:
        return False
