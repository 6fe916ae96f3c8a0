"""What the thesis *Incorporating Structured Knowledge into PAQ* counted of each predicate (3.19 to 3.22, C and D)."""

import csv
from dataclasses import dataclass
from functools import cache

from factmill.project import root

_SETS = {"nq": "nq", "triviaqa": "triviaqa", "trivia": "triviaqa"}


@dataclass(frozen=True)
class ThesisGap:
    """Questions that a predicate answers, and mistakes of PAQ with RePAQ among them; `em` is a percentage."""

    n_questions: int
    n_mistakes: int
    em: float
    cardinality: float


def thesis_gap(question_set: str, source: str, label: str) -> ThesisGap | None:
    """Return the figures of a predicate, by its label, if the thesis has any for this question set.

    >>> thesis_gap("nq_dev.jsonl.gz", "wikidata", "performer")
    ThesisGap(n_questions=306, n_mistakes=45, em=85.29, cardinality=2.4)
    """
    name = next((known for start, known in _SETS.items() if question_set.lower().startswith(start)), "")
    return _figures().get((name, source, label.lower()))


@cache
def _figures() -> dict[tuple[str, str, str], ThesisGap]:
    with (root() / "presets" / "thesis_gaps.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["dataset"], row["kb"], row["predicate"].lower()): ThesisGap(
                int(row["total"]), int(row["mistakes"]), float(row["em"]), float(row["cardinality_avg"])
            )
            for row in csv.DictReader(file)
        }
