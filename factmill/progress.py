"""Progress of long work: a bar on a terminal, a plain line now and then elsewhere. Always on standard error."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_SECONDS_BETWEEN_LINES = 10.0


class Advance(Protocol):
    """A call that moves the progress on."""

    def __call__(self, done: int) -> None:
        """Tell that this many more units are done."""


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
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    counts = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), counts, TextColumn(unit), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)

        def advance(done: int) -> None:
            bar.advance(task, done)

        yield advance


def _lines(what: str, total: int, unit: str) -> Advance:
    finished = 0
    last = time.monotonic()

    def advance(done: int) -> None:
        nonlocal finished, last
        finished += done
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            share = f" ({finished / total:.0%})" if total else ""
            print(f"{what}: {finished:,} of {total:,} {unit}{share}", file=sys.stderr, flush=True)

    return advance
