"""Reads the windows of an input side by side.

Threads will do, because decompressing, the kernel and writing all run without Python's lock. They start at once, and
stop when one of them fails or the user says so.
"""

import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from factmill.parts import Part, PartsFolder, PartSource
from factmill.progress import Advance, progress

_SECONDS_BETWEEN_LOOKS = 0.2


class _Stopped(Exception):
    """A window is given up because another one failed."""


def read_parts(parts: PartsFolder, windows: Sequence[PartSource], name: str, workers: int) -> list[Part]:
    """Return what became of each window; those that an earlier run has finished are not read again."""
    found = {number: part for number in range(len(windows)) if (part := parts.finished(number))}
    missing = [number for number in range(len(windows)) if number not in found]
    stop = threading.Event()
    with (
        progress(f"staging {name}", sum(windows[number].n_bytes for number in missing), "bytes") as advance,
        ThreadPoolExecutor(workers) as pool,
    ):
        stoppable = _stoppable(advance, stop)
        futures = {
            number: pool.submit(parts.read, number, windows[number].open_reader, stoppable) for number in missing
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
    found.update({number: future.result() for number, future in futures.items()})
    return [found[number] for number in range(len(windows))]


def _stoppable(advance: Advance, stop: threading.Event) -> Advance:
    def told(done: int, lines: int = 0) -> None:
        if stop.is_set():
            raise _Stopped
        advance(done, lines)

    return told
