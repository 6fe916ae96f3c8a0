"""What an ablation gives back: tables of variants, each with what it gains and loses."""

from dataclasses import dataclass
from typing import Any

from factmill.ablation.experiment import Experiment
from factmill.cures import Cure
from factmill.names import ShardName
from factmill.statistics import Comparison
from factmill.views import FULL

Cell = str | int | float | None


@dataclass(frozen=True, order=True)
class Part:
    """A shard, or a view of it."""

    shard: ShardName
    view: str = FULL

    def __str__(self) -> str:
        return str(self.shard) if self.view == FULL else f"{self.shard} ({self.view})"


@dataclass(frozen=True)
class Retrieved:
    """A pair that was found."""

    qa_id: str
    question: str
    answer: str
    shard: ShardName
    score: float


@dataclass(frozen=True)
class Change:
    """A question that a variant answers and the reference does not, or the other way round.

    `displaced_by` are the pairs that only the one with the wrong answer found.
    """

    question: str
    gold: list[str]
    before: list[Retrieved]
    after: list[Retrieved]
    displaced_by: list[Retrieved]


@dataclass(frozen=True)
class Delta:
    """Numbers of the questions that a variant gains and loses against the reference, and what that means."""

    gained: list[int]
    lost: list[int]
    statistics: Comparison
    p_holm: float
    """The p-value, corrected for all variants of the table."""


@dataclass(frozen=True)
class Score:
    """EM-k of a variant, in percent; the reference itself has no delta."""

    k: int
    em: float
    n_right: int
    delta: Delta | None


@dataclass(frozen=True)
class Variant:
    """One line of a table; `changes` has every question that is gained or lost at some k, by its number."""

    name: str
    parts: list[Part]
    n_pairs: int
    is_oracle: bool
    """Whether a view in it has seen some of the questions."""
    scores: list[Score]
    changes: dict[int, Change]

    def at(self, k: int) -> Score:
        """Return its score at one k."""
        return next(score for score in self.scores if score.k == k)


@dataclass(frozen=True)
class Table:
    """Variants on one question set; the first one is the reference.

    Where `leaves_out`, a variant is everything but its parts: what it gains, its parts spoil.
    """

    title: str
    questions: str
    questions_sha256: str
    n_questions: int
    leaves_out: bool
    variants: list[Variant]

    @property
    def words(self) -> tuple[str, str]:
        """Name the questions that only the variant has right, and those that only the reference has."""
        return ("harmed", "helped") if self.leaves_out else ("gained", "lost")

    def rows(self) -> list[dict[str, Cell]]:
        """Return the table flat: one row a variant, with empty cells for the reference."""
        return [self._row(variant) for variant in self.variants]

    def _row(self, variant: Variant) -> dict[str, Cell]:
        row: dict[str, Cell] = {
            "corpus": f"{variant.name} (oracle)" if variant.is_oracle else variant.name,
            "pairs left out" if self.leaves_out else "pairs added": variant.n_pairs,
        }
        for score in variant.scores:
            row[f"EM-{score.k}"] = round(score.em, 2)
            row |= {f"EM-{score.k} {name}": value for name, value in self._delta(score.delta).items()}
        return row

    def _delta(self, delta: Delta | None) -> dict[str, Cell]:
        gained, lost = self.words
        if delta is None:
            return dict.fromkeys(("delta", "low", "high", gained, lost, "p", "p (Holm)", "least"))
        found = delta.statistics
        return {
            "delta": round(found.points, 2),
            "low": round(found.low, 2),
            "high": round(found.high, 2),
            gained: found.n_gained,
            lost: found.n_lost,
            "p": _short(found.p_value),
            "p (Holm)": _short(delta.p_holm),
            "least": None if found.least_points is None else round(found.least_points, 2),
        }


def _short(p_value: float) -> float:
    return float(f"{p_value:.2g}")


@dataclass(frozen=True)
class Selection:
    """Which parts were chosen on the questions of `select_on`, in the order in which they were."""

    rule: str
    chosen: list[Part]
    n_shared_questions: int
    """So many questions of the report were seen when the parts were chosen."""


@dataclass(frozen=True)
class Curing:
    """What was chosen to keep a shard from doing harm, and its harm on the questions that did not choose.

    Harmed are questions that are right without the shard and wrong with it, helped the other way round.
    """

    shard: ShardName
    cure: Cure
    harmed: int
    harmed_cured: int
    helped: int
    helped_cured: int


@dataclass(frozen=True)
class Ablation:
    """The tables, and what they were made from."""

    experiment: Experiment
    corpus_version: int | None
    encoder: str
    settings: dict[str, Any]
    cures: dict[ShardName, Cure]
    """What the home's cures were when the shards were searched."""
    base: ShardName
    shards: list[ShardName]
    tables: list[Table]
    selection: Selection | None = None
    curing: list[Curing] | None = None
