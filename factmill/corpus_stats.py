"""What the corpus holds: figures of each shard, and how far shards that ask the same question agree.

DuckDB reads each pair twice: once for the figures and the hashes of the questions, once for those pairs whose question
several shards ask. What does not fit into memory is spilled.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import duckdb

from factmill.corpus import Corpus
from factmill.corpus_log import LogEntry, read_log
from factmill.corpus_version import CorpusVersion
from factmill.errors import ConfigError, CorpusError
from factmill.home import Home
from factmill.names import ShardName
from factmill.settings import settings
from factmill.warehouse import Warehouse

NO_LICENCE = "none stated"
_COLUMNS = ("question", "answer", "kind", "licence", "as_of")
_MOST_MEGABYTES = 1_000
_PAIRS_A_BUCKET = 1_000_000


@dataclass(frozen=True)
class ShardStats:
    """What a shard holds, and where it comes from."""

    shard: ShardName
    n_pairs: int
    n_questions: int
    """Different questions."""
    n_repeated: int
    """Pairs that repeat an earlier one in question and answers."""
    mean_answers: float
    kinds: dict[str, int]
    licences: dict[str, int]
    first_as_of: date | None
    last_as_of: date | None
    snapshot: str | None
    written: datetime | None
    n_files: int
    n_bytes: int


@dataclass(frozen=True)
class Total:
    """The pairs of a source or licence."""

    name: str
    n_shards: int
    n_pairs: int


@dataclass(frozen=True)
class Conflict:
    """A question to which two shards have no answer in common."""

    question: str
    one_answer: list[str]
    other_answer: list[str]


@dataclass(frozen=True)
class Agreement:
    """Two shards that ask the same questions: how often an answer is the same once both are normalised as PAQ does."""

    one: ShardName
    other: ShardName
    n_agreeing: int
    n_conflicting: int
    conflicts: list[Conflict]

    @property
    def n_shared(self) -> int:
        """Return how many questions both ask."""
        return self.n_agreeing + self.n_conflicting


@dataclass(frozen=True)
class CorpusStats:
    """What one version of the corpus holds."""

    version: int
    n_pairs: int
    n_bytes: int
    shards: list[ShardStats]
    sources: list[Total]
    licences: list[Total]
    agreements: list[Agreement]


def corpus_stats(home: Home, n_conflicts: int = 0) -> CorpusStats:
    """Count what the latest version holds; of shards that disagree, show some conflicts."""
    version = Corpus(home).latest()
    shards = list(version.shards())
    if version.number is None or not shards:
        raise ConfigError("the corpus is empty. Add pairs with `factmill augment` or `factmill corpus import` first.")
    for shard in shards:
        version.check_whole(shard)
    with _rows(home, version, shards) as warehouse:
        warehouse.run("question_counts")
        warehouse.run("shard_figures")
        figures = warehouse.rows("shard_figures")
        agreements = _agreements(warehouse, shards, n_conflicts)
    latest_writes = {entry.shard: entry for entry in reversed(read_log(home)) if entry.operation == "write"}
    told = [_shard_stats(version, shards[row[0]], row, latest_writes) for row in figures]
    return CorpusStats(
        version=version.number,
        n_pairs=sum(each.n_pairs for each in told),
        n_bytes=sum(each.n_bytes for each in told),
        shards=told,
        sources=_totals([{each.shard.source: each.n_pairs} for each in told]),
        licences=_totals([each.licences for each in told]),
        agreements=agreements,
    )


@contextmanager
def _rows(home: Home, version: CorpusVersion, shards: Sequence[ShardName]) -> Iterator[Warehouse]:
    megabytes = min(settings().memory_mb, _MOST_MEGABYTES)
    with home.scratch() as scratch, Warehouse(scratch, megabytes=megabytes) as warehouse:
        try:
            files = [[file.path for file in version.files(shard)] for shard in shards]
            warehouse.pairs_view("corpus_rows", _COLUMNS, files)
            for macro in ("asked_form", "normal_answer"):
                warehouse.run(macro)
            yield warehouse
        except duckdb.Error as error:
            raise CorpusError(f"cannot read the corpus, a file is damaged: {error}") from None


def _agreements(warehouse: Warehouse, shards: Sequence[ShardName], n_conflicts: int) -> list[Agreement]:
    warehouse.run("shared_pairs")
    warehouse.drop("question_counts")
    # Answers are put together in memory, so not those of all questions at once.
    n_buckets = warehouse.count("shared_pairs") // _PAIRS_A_BUCKET + 1
    found: dict[tuple[int, int], tuple[int, int, list[Conflict]]] = {}
    for bucket in range(n_buckets):
        warehouse.run("bucket_agreements", n=n_conflicts, bucket=bucket, n_buckets=n_buckets)
        for one, other, n_agreeing, n_conflicting, conflicts in warehouse.rows("bucket_agreements"):
            before = found.get((one, other), (0, 0, []))
            both = before[2] + [Conflict(**conflict) for conflict in conflicts]
            both.sort(key=lambda conflict: conflict.question)
            found[one, other] = (before[0] + n_agreeing, before[1] + n_conflicting, both[:n_conflicts])
    return [Agreement(shards[one], shards[other], *counts) for (one, other), counts in sorted(found.items())]


def _shard_stats(
    version: CorpusVersion, shard: ShardName, row: tuple[Any, ...], writes: dict[str | None, LogEntry]
) -> ShardStats:
    _, n_pairs, n_questions, n_repeated, mean_answers, kinds, licences, first_as_of, last_as_of = row
    files, write = version.files(shard), writes.get(str(shard))
    return ShardStats(
        shard=shard,
        n_pairs=n_pairs,
        n_questions=n_questions,
        n_repeated=n_repeated,
        mean_answers=mean_answers,
        kinds=kinds,
        licences={licence or NO_LICENCE: n for licence, n in licences.items()},
        first_as_of=first_as_of,
        last_as_of=last_as_of,
        snapshot=write.snapshot if write else None,
        written=write.when if write else None,
        n_files=len(files),
        n_bytes=sum(file.n_bytes for file in files),
    )


def _totals(counts: Sequence[dict[str, int]]) -> list[Total]:
    """Add up what each shard has under each name."""
    names = sorted({name for each in counts for name in each})
    return [
        Total(name, sum(name in each for each in counts), sum(each.get(name, 0) for each in counts)) for name in names
    ]
