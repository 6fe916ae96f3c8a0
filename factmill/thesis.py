"""Figures of the thesis *Incorporating Structured Knowledge into PAQ*, to stand beside ours of the same predicates.

They are of its whole corpus, PAQ's 65 million pairs: ours are of whatever corpus is there.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from factmill.project import root

_SETS = {"nq": "nq", "trivia": "triviaqa"}
"""How the names of question sets begin."""
_DELTAS = {"nq": "delta_em5norm_nq", "triviaqa": "delta_em5norm_tqa"}


@dataclass(frozen=True)
class ThesisGap:
    """Questions that a predicate answers, and mistakes of PAQ with RePAQ among them; `em` is a percentage."""

    n_questions: int
    n_mistakes: int
    em: float
    cardinality: float


def thesis_gap(question_set: str, source: str, label: str) -> ThesisGap | None:
    """Return what the thesis counted of a predicate (Tables 3.19 to 3.22), if it did for this question set.

    >>> thesis_gap("nq_dev.jsonl.gz", "wikidata", "performer")
    ThesisGap(n_questions=306, n_mistakes=45, em=85.29, cardinality=2.4)
    """
    return _gaps().get((_known_set(question_set), source, label.lower()))


def thesis_delta(question_set: str, source: str, label: str, *, is_linked: bool = False) -> float | None:
    """Return what a predicate alone changed in the thesis, in points of EM-5_norm (Tables 4.4 to 4.8).

    `is_linked` asks for the facts about what the questions mention.

    >>> thesis_delta("nq_dev.jsonl.gz", "wikidata", "composer")
    0.0
    """
    variants = ("filtered", "dev") if is_linked else ("full", "train+dev")
    found = (_deltas().get((_known_set(question_set), source, variant, label.lower())) for variant in variants)
    return next((delta for delta in found if delta is not None), None)


def _known_set(name: str) -> str:
    return next((known for start, known in _SETS.items() if name.lower().startswith(start)), "")


@cache
def _gaps() -> dict[tuple[str, str, str], ThesisGap]:
    return {
        (row["dataset"], row["kb"], row["predicate"].lower()): ThesisGap(
            int(row["total"]), int(row["mistakes"]), float(row["em"]), float(row["cardinality_avg"])
        )
        for row in _rows("thesis_gaps")
    }


@cache
def _deltas() -> dict[tuple[str, str, str, str], float]:
    return {
        (name, row["source"], row["variant"], row["predicate"].lower()): float(row[column])
        for row in _rows("thesis_ablation")
        for name, column in _DELTAS.items()
        if row[column]
    }


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (root() / "presets" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
