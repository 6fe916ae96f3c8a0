"""Question sets: files of questions with their gold answers, in NQ-open's and PAQ's form."""

from dataclasses import dataclass
from pathlib import Path

from factmill.errors import SourceFormatError
from factmill.identity import file_digest
from factmill.importing import parse_pair
from factmill.lineblocks import read_lines


@dataclass(frozen=True)
class QuestionSet:
    """Questions in the order of their file, each with its gold answers."""

    name: str
    sha256: str
    questions: tuple[str, ...]
    gold: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.questions)


def read_questions(path: Path) -> QuestionSet:
    """Read a JSONL file, plain or gzip. A line that is no question is an error: to skip it would shift the scores."""
    digest = file_digest(path)
    questions: list[str] = []
    gold: list[tuple[str, ...]] = []
    for number, (line, _) in enumerate(read_lines(path), 1):
        fault, pair = parse_pair(line)
        if pair is None:
            raise SourceFormatError(
                f'{path}, line {number:,}: {fault}. Each line reads {{"question": "…", "answer": ["…"]}}.'
            )
        questions.append(pair[0])
        gold.append(tuple(pair[1]))
    if not questions:
        raise SourceFormatError(f"{path} holds no questions.")
    return QuestionSet(path.name, digest, tuple(questions), tuple(gold))
