"""Progress of long work: a bar on a terminal, a plain line now and then elsewhere. Always on standard error."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_SECONDS_BETWEEN_LINES = 10.0


class Advance(Protocol):
    """A call that moves the progress on."""

    def __call__(self, done: int, lines: int = 0) -> None:
        """Tell that this many more units are done, and how many lines stood in them. Any thread may call it."""


@contextmanager
def progress(what: str, total: int, unit: str) -> Iterator[Advance]:
    """Show the progress of some work while the block runs."""
    if sys.stderr.isatty():
        with _bar(what, total, unit) as advance:
            yield advance
    else:
        yield _lines(what, total, unit)


@contextmanager
def _bar(what: str, total: int, unit: str) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    told = [
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        *([DownloadColumn()] if unit == "bytes" else [MofNCompleteColumn(), TextColumn(unit)]),
        TextColumn("{task.fields[lines]}"),
        TimeRemainingColumn(),
    ]
    with Progress(*told, console=Console(stderr=True), transient=True) as bar:
        # Without a total the bar only shows that something happens.
        task = bar.add_task(what, total=total or None, lines="")
        counted = _Lines()

        def advance(done: int, lines: int = 0) -> None:
            bar.update(task, advance=done, lines=counted.add(lines))

        yield advance


class _Lines:
    """Counts lines and how many come in a second."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._n = 0
        self._lock = threading.Lock()

    def add(self, n: int) -> str:
        with self._lock:
            self._n += n
        rate = self._n / max(time.monotonic() - self._started, 0.001)
        return f"{self._n:,} lines, {rate:,.0f}/s" if self._n else ""


def _lines(what: str, total: int, unit: str) -> Advance:
    finished = finished_before = 0
    last = time.monotonic()
    counted = _Lines()
    lock = threading.Lock()

    def advance(done: int, lines: int = 0) -> None:
        nonlocal finished, finished_before, last
        said = counted.add(lines)
        with lock:
            finished += done
            now = time.monotonic()
            # Nobody needs to hear that nothing is left: what follows is the result.
            if now - last < _SECONDS_BETWEEN_LINES or (total and finished >= total):
                return
            # By the last stretch alone: what a run finds done already goes fast.
            rate = (finished - finished_before) / (now - last)
            finished_before, last = finished, now
        share = f" of {total:,} {unit} ({finished / total:.0%})" if total else f" {unit}"
        left = f", {(total - finished) / rate:,.0f} s left" if total and rate > 0 else ""
        print(f"{what}: {finished:,}{share}{', ' + said if said else ''}{left}", file=sys.stderr, flush=True)

    return advance
