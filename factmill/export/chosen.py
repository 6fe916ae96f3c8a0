"""Which pairs an export holds: what may be passed on, and of that what was asked for. All others are counted."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from factmill.corpus import Corpus
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.names import ShardName
from factmill.project import source_names

FILE_ORDER = ("ordinal", "qa_id")
NON_COMMERCIAL = "their licence is non-commercial"
_NOT_TO_BE_PASSED_ON = r"(?i)\bnc\b|non-?commercial"

Rule = tuple[str, Callable[[pa.RecordBatch], pa.BooleanArray]]


@dataclass(frozen=True)
class Choice:
    """What narrows an export; by default nothing does but the licence."""

    shards: tuple[ShardName, ...] = ()
    licences: tuple[str, ...] = ()
    min_popularity: int | None = None
    include_noncommercial: bool = False


@dataclass(frozen=True)
class LeftOut:
    """Pairs of a shard that are not in an export."""

    shard: ShardName
    reason: str
    n_pairs: int


def may_be_passed_on(licence: str | None) -> bool:
    """Tell whether pairs of a licence may be given to anybody. What has no licence is the user's own import.

    >>> [may_be_passed_on(licence) for licence in ("CC0-1.0", None, "IMDb non-commercial", "CC BY-NC 4.0")]
    [True, True, False, False]
    """
    return re.search(_NOT_TO_BE_PASSED_ON, licence or "") is None


def left_out_lines(left_out: Iterable[LeftOut]) -> Iterator[str]:
    """Tell what was left out: by shard what may not be passed on, of the rest the sum."""
    others: dict[str, list[LeftOut]] = {}
    for left in left_out:
        if left.reason == NON_COMMERCIAL:
            yield f"Left out: {left.n_pairs:,} pairs of {left.shard}, because {left.reason}."
        else:
            others.setdefault(left.reason, []).append(left)
    for reason, some in sorted(others.items()):
        n_pairs = sum(left.n_pairs for left in some)
        yield f"Left out: {n_pairs:,} pairs in shards: {len(some):,}, because {reason}."


class ChosenPairs:
    """The pairs of an export, and the count of those that are none of it."""

    def __init__(self, home: Home, choice: Choice) -> None:
        self.choice = choice
        self._corpus = Corpus(home).latest()
        self._left_out: Counter[tuple[ShardName, str]] = Counter()
        present = self._corpus.shards()
        if unknown := [shard for shard in choice.shards if shard not in present]:
            raise ConfigError(f"{unknown[0]} is not in the corpus. See `factmill corpus log`.")
        self.digests = {shard: present[shard] for shard in sorted(choice.shards or present, key=_place)}
        """The shards with their digests: an imported base comes first, so that its lines keep their numbers."""

    def batches(
        self, shard: ShardName, columns: Sequence[str], *, by: Sequence[str] = FILE_ORDER, rows_a_batch: int = 10_000
    ) -> Iterator[pa.RecordBatch]:
        """Yield the pairs of a shard that are in the export, in its order or another."""
        needed = list(dict.fromkeys([*columns, "licence", "popularity"]))
        rules = list(self._rules())
        for batch in self._corpus.batches(shard, needed, by=by, rows_a_batch=rows_a_batch):
            for reason, passes in rules:
                kept = batch.filter(passes(batch))
                self.leave_out(shard, reason, len(batch) - len(kept))
                batch = kept
            if len(batch):
                yield batch.select(list(columns))

    def leave_out(self, shard: ShardName, reason: str, n_pairs: int) -> None:
        """Count pairs that are not in the export."""
        if n_pairs:
            self._left_out[shard, reason] += n_pairs

    def leave_out_all(self, shard: ShardName, reason: str) -> None:
        """Count the pairs of a shard that a format has no form for."""
        for batch in self.batches(shard, ("qa_id",), rows_a_batch=100_000):
            self.leave_out(shard, reason, len(batch))

    @property
    def left_out(self) -> list[LeftOut]:
        """Return what is not in the export, by shard and reason."""
        return [LeftOut(shard, reason, n_pairs) for (shard, reason), n_pairs in sorted(self._left_out.items())]

    def nothing(self) -> ConfigError:
        """Return the error that says why an export would hold nothing."""
        if not self._left_out:
            return ConfigError(
                "there is nothing to export. Add pairs with `factmill augment` or `factmill corpus import` first."
            )
        reasons: Counter[str] = Counter()
        for (_, reason), n_pairs in self._left_out.items():
            reasons[reason] += n_pairs
        why = "; ".join(f"{n_pairs:,} because {reason}" for reason, n_pairs in sorted(reasons.items()))
        advice = " --include-noncommercial exports those for your own use." if NON_COMMERCIAL in reasons else ""
        return ConfigError(f"all {reasons.total():,} pairs are left out: {why}. Nothing was written.{advice}")

    def _rules(self) -> Iterator[Rule]:
        choice = self.choice
        if not choice.include_noncommercial:
            yield NON_COMMERCIAL, _passed_on
        if choice.licences:
            chosen = pa.array(choice.licences, pa.string())
            yield "they are under another licence", lambda batch: pc.is_in(batch["licence"], chosen)
        if choice.min_popularity is not None:
            # A base knows nothing of popularity, and without a line of it the others would have wrong numbers.
            least = pa.scalar(choice.min_popularity, pa.int64())
            yield (
                "their subject is not known well enough",
                lambda batch: pc.fill_null(pc.greater_equal(batch["popularity"], least), True),
            )


def _place(shard: ShardName) -> tuple[bool, ShardName]:
    return shard.source in source_names(), shard


def _passed_on(batch: pa.RecordBatch) -> pa.BooleanArray:
    licences = batch["licence"].unique().to_pylist()
    return pc.is_in(batch["licence"], pa.array([text for text in licences if may_be_passed_on(text)], pa.string()))
