"""What was retrieved, in RePAQ's form, which PAQ's own evaluation reads: a line a question."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from factmill.errors import ConfigError
from factmill.questions import QuestionSet
from factmill.results import Hit


class RetrievedFile:
    """Writes lines as they come; the file appears when all are there. Without a path nothing is written."""

    def __init__(self, path: Path | None, questions: QuestionSet) -> None:
        if path and (path.is_dir() or not path.parent.is_dir()):
            raise ConfigError(f"cannot write to {path}: name a file in a folder that exists.")
        self._path = path
        self._questions = questions
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}") if path else None
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        if self._temporary:
            try:
                self._file = self._temporary.open("w", encoding="ascii")
            except OSError as error:
                raise ConfigError(f"cannot write to {self._path}: {error.strerror}.") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file and self._temporary and self._path:
            self._file.close()
            if error is None:
                self._temporary.replace(self._path)
            self._temporary.unlink(missing_ok=True)

    def add(self, number: int, hits: Sequence[Hit]) -> None:
        """Write what was retrieved for one question."""
        if self._file:
            self._file.write(retrieved_line(self._questions.questions[number], self._questions.gold[number], hits))


def retrieved_line(question: str, gold: Sequence[str], hits: Sequence[Hit]) -> str:
    """Return the line of one question."""
    retrieved = [
        {"question": hit.question, "answer": hit.answers, "score": hit.score, "shard": str(hit.shard)} for hit in hits
    ]
    row = {"input_qa": {"question": question, "answer": list(gold)}, "retrieved_qas": retrieved}
    return json.dumps(row, ensure_ascii=True) + "\n"
