"""Questions that name the id of their subject."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Asked:
    """A question with its answers; subject and object are ids where the set names them."""

    question: str
    answers: tuple[str, ...]
    subject: str | None
    object: str | None


def read_asked(data: Path, name: str) -> list[Asked]:
    """Read `questions/<name>.jsonl.gz` of the shared data."""
    with gzip.open(data / "questions" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return [Asked(row["question"], tuple(row["answer"]), row.get("subject"), row.get("object")) for row in rows]
