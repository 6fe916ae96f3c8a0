"""Reads the windows of an input side by side.

Threads will do, because decompressing, the kernel and writing all run without Python's lock. They start at once, and
stop when one of them fails or the user says so.
"""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from factmill.parts import Part, PartsFolder, PartSource
from factmill.progress import Advance, progress

_SECONDS_BETWEEN_LOOKS = 0.2


class _Stopped(Exception):
    """A window is given up because another one failed."""


def read_parts(
    parts: PartsFolder, windows: Sequence[PartSource], name: str, workers: int, unit: str = "bytes"
) -> list[Part]:
    """Return what became of each window; those that an earlier run has finished are not read again."""
    found = {number: part for number in range(len(windows)) if (part := parts.finished(number))}
    missing = {number: window for number, window in enumerate(windows) if number not in found}
    with progress(f"staging {name}", sum(window.size for window in missing.values()), unit) as advance:
        if workers == 1:
            # In this thread, which Ctrl-C reaches even while it waits for a server.
            found |= {number: parts.read(number, window.open_reader, advance) for number, window in missing.items()}
        else:
            found |= _read_side_by_side(parts, missing, advance, workers)
    return [found[number] for number in range(len(windows))]


def _read_side_by_side(
    parts: PartsFolder, windows: Mapping[int, PartSource], advance: Advance, workers: int
) -> dict[int, Part]:
    stop = threading.Event()
    stoppable = _stoppable(advance, stop)
    with ThreadPoolExecutor(workers) as pool:
        futures = {
            number: pool.submit(parts.read, number, window.open_reader, stoppable) for number, window in windows.items()
        }
        try:
            while True:
                done, waiting = wait(futures.values(), timeout=_SECONDS_BETWEEN_LOOKS, return_when=FIRST_EXCEPTION)
                # If several failed, the first in the input says most: it may have misled those after it.
                for future in futures.values():
                    if future in done:
                        future.result()
                if not waiting:
                    break
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return {number: future.result() for number, future in futures.items()}


def _stoppable(advance: Advance, stop: threading.Event) -> Advance:
    def told(done: int, lines: int = 0) -> None:
        if stop.is_set():
            raise _Stopped
        advance(done, lines)

    return told
