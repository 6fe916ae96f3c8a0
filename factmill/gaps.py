"""Gap analysis: which predicates hold the answers to the questions that the corpus gets wrong.

The method is that of the thesis *Incorporating Structured Knowledge into PAQ* (§3.4); docs/evaluation.md explains it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.corpus import Corpus
from factmill.gap_facts import answering_facts
from factmill.home import Home
from factmill.linker import Mention, open_linker
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.scoring.norm.judge import Accepted
from factmill.templates import Template, catalogue

MOST_SUBJECTS = 3
"""Entities that a question may be about."""


@dataclass(frozen=True, order=True)
class Way:
    """One way in which facts answer questions: a predicate, forwards or backwards, by its object or a qualifier."""

    source: str
    predicate: str
    inverse: bool = False
    path: str = ""

    def __str__(self) -> str:
        arrow = "←" if self.inverse else ""
        return f"{self.source}/{arrow}{self.predicate}" + (f"→{self.path}" if self.path else "")

    @property
    def new_shard(self) -> ShardName:
        """Return the shard that a template for this would fill."""
        return ShardName(self.source, self.predicate, "inverse" if self.inverse else "")

    def is_asked_by(self, template: Template) -> bool:
        """Tell whether a template asks questions of this kind."""
        matter, shard = template.matter, template.shard
        return (shard.source, shard.predicate, matter.inverse, matter.answer or "") == (
            self.source,
            self.predicate,
            self.inverse,
            self.path,
        )


class State(StrEnum):
    """What there is already of a way to answer."""

    MILLED = "milled"
    TEMPLATE = "has a template"
    NOTHING = "no template"


@dataclass(frozen=True)
class Gap:
    """What the corpus makes of the questions that a predicate answers; `em` is a percentage."""

    way: Way
    label: str
    n_questions: int
    n_mistakes: int
    em: float
    cardinality: float
    """Answers a question's subject has on average."""
    state: State
    shards: tuple[ShardName, ...]
    """Those that ask in this way, or would."""


@dataclass(frozen=True)
class Step:
    """What to add next: `n_mended` mistakes that no step before it mends."""

    way: Way
    label: str
    n_mended: int
    n_mended_so_far: int
    advice: str
    numbers: tuple[int, ...]
    """Which questions these are."""


@dataclass(frozen=True)
class Gaps:
    """The analysis of one set of questions: the tables, and the facts behind them."""

    rows: tuple[Gap, ...]
    steps: tuple[Step, ...]
    predicates: dict[int, ShardName]
    """What would mend a mistake, by the number of its question: the step that mends most."""
    n_linked: dict[str, int]
    """Questions of which a subject is staged, by source."""
    n_answered: int
    """Questions that some staged fact answers."""
    n_mistakes: int
    n_mendable: int
    """Mistakes among them."""
    matches: dict[str, pa.Table]
    """The rows of sql/gap_matches.sql, by source."""


def link_subjects(home: Home, sources: Sequence[str], questions: Sequence[str]) -> dict[str, list[list[Mention]]]:
    """Return what each question may be about, in each source."""
    return {source: open_linker(home, source, most=MOST_SUBJECTS).link(questions) for source in sources}


def find_gaps(
    home: Home,
    right: npt.NDArray[np.bool_],
    accepted: Sequence[Accepted],
    linked: Mapping[str, Sequence[Sequence[Mention]]],
) -> Gaps:
    """Find the staged facts that answer each question, and count which of these are answered wrongly."""
    matches = {
        source: answering_facts(home, Stage.current(home, source), found, accepted) for source, found in linked.items()
    }
    answered: dict[Way, dict[int, int]] = defaultdict(dict)
    for source, table in matches.items():
        for row in table.select(["predicate", "inverse", "path", "question", "n_answers"]).to_pylist():
            way = Way(source, row["predicate"], row["inverse"], row["path"])
            answered[way][row["question"]] = row["n_answers"]
    templates = catalogue()
    milled = Corpus(home).latest().shards()
    rows = [_gap(way, found, right, templates, milled) for way, found in answered.items()]
    rows.sort(key=lambda row: (-row.n_mistakes, -row.n_questions, row.way))
    mistakes = {way: {number for number in found if not right[number]} for way, found in answered.items()}
    steps = _steps(rows, mistakes)
    shards = {row.way: row.shards[0] if row.shards else row.way.new_shard for row in rows}
    any_answered = {number for found in answered.values() for number in found}
    return Gaps(
        rows=tuple(rows),
        steps=tuple(steps),
        predicates={number: shards[step.way] for step in steps for number in step.numbers},
        n_linked={source: sum(map(bool, found)) for source, found in linked.items()},
        n_answered=len(any_answered),
        n_mistakes=int((~right).sum()),
        n_mendable=sum(not right[number] for number in any_answered),
        matches=matches,
    )


def _gap(
    way: Way,
    found: Mapping[int, int],
    right: npt.NDArray[np.bool_],
    templates: Mapping[ShardName, Template],
    milled: Collection[ShardName],
) -> Gap:
    asking = [template for template in templates.values() if way.is_asked_by(template)]
    of_predicate = [t for s, t in templates.items() if (s.source, s.predicate) == (way.source, way.predicate)]
    n_right = int(right[list(found)].sum())
    shards = tuple(template.shard for template in asking)
    state = State.NOTHING if not shards else State.MILLED if set(shards) & set(milled) else State.TEMPLATE
    return Gap(
        way=way,
        label=next((template.matter.label for template in asking + of_predicate), ""),
        n_questions=len(found),
        n_mistakes=len(found) - n_right,
        em=100 * n_right / len(found),
        cardinality=sum(found.values()) / len(found),
        state=state,
        shards=shards,
    )


def _steps(rows: Sequence[Gap], mistakes: Mapping[Way, set[int]]) -> list[Step]:
    """Choose what mends most of the mistakes that are left, again and again."""
    left = {row.way: set(mistakes[row.way]) for row in rows if mistakes[row.way]}
    gaps = {row.way: row for row in rows}
    steps: list[Step] = []
    so_far = 0
    while left:
        way = min(left, key=lambda one: (-len(left[one]), one))
        mended = left.pop(way)
        so_far += len(mended)
        steps.append(Step(way, gaps[way].label, len(mended), so_far, _advice(gaps[way]), tuple(sorted(mended))))
        left = {other: rest for other, numbers in left.items() if (rest := numbers - mended)}
    return steps


def _advice(gap: Gap) -> str:
    if gap.state is State.TEMPLATE:
        return f"factmill augment {gap.shards[0]}"
    if gap.state is State.MILLED:
        return "it is milled: add a wording (see the clusters), or the ranking is at fault"
    return "write a template (docs/templates.md)"
