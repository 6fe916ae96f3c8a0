"""What was refused, and why: one JSON object a line, so that nothing disappears in silence."""

import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from factmill.errors import SourceError
from factmill.home import Home

_MAX_TEXT = 500


def run_name(what: str) -> str:
    """Name this run by time, subject and process: the file names of its rejects and reports."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{what}-{os.getpid()}"


class Rejects:
    """Counts refusals by reason and keeps each in a file, which appears with the first of them."""

    def __init__(self, path: Path, *, keep: bool = True) -> None:
        self.counts: Counter[str] = Counter()
        self.example = ""
        self._path = path
        self._keep = keep
        self._file: IO[str] | None = None

    @classmethod
    def of_run(cls, home: Home, what: str, *, keep: bool = True) -> Self:
        """Keep what a run refuses in a file of its own."""
        return cls(home.rejects(run_name(what)), keep=keep)

    @property
    def run(self) -> str:
        """Return the name of the run."""
        return self._path.stem

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is None:
            return
        try:
            self._file.close()
        except OSError:
            # What it held back found no room.
            self._path.unlink(missing_ok=True)
            raise
        if error is not None and not isinstance(error, SourceError):
            # The run broke off, and the next one writes them all. Of an input that is wrong they tell what is.
            self.discard()

    def add(self, reason: str, text: str, place: str = "") -> None:
        """Refuse one line or row."""
        self.counts[reason] += 1
        self.example = self.example or f"{reason}: {text[:60]!r}"
        if not self._keep:
            return
        if self._file is None:
            self._path.parent.mkdir(exist_ok=True)
            self._file = self._path.open("w", encoding="utf-8")
        row = {"reason": reason, "place": place, "text": text[:_MAX_TEXT]}
        self._file.write(json.dumps(row, ensure_ascii=True) + "\n")

    def discard(self) -> None:
        """Forget the file: this run changed nothing, so an earlier one has written the same."""
        if self._file is not None:
            self._file.close()
            self._path.unlink(missing_ok=True)
            self._file = None

    @property
    def file(self) -> Path | None:
        """Return the file, None where nothing was refused or nothing is kept."""
        return self._path if self._file is not None else None

    @property
    def total(self) -> int:
        """Count all refusals."""
        return self.counts.total()
