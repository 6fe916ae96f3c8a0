"""What becomes of the pairs of a shard from one version to another.

DuckDB joins identities and hashes; only of the few pairs that are shown are questions and answers kept. So memory does
not grow with the shard.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from factmill.settings import settings
from factmill.warehouse import Warehouse

_COLUMNS = ("qa_id", "question", "answer")
_MOST_MEGABYTES = 1_000
"""What DuckDB may take of the 1.5 GB of the whole process."""


@dataclass(frozen=True)
class Changes:
    """What a write does to a shard, in rows."""

    n_added: int
    n_changed: int
    n_retired: int
    n_unchanged: int


@dataclass(frozen=True)
class Change:
    """One pair that a write adds, changes or retires; what is not there before or after is None."""

    kind: str
    question: str | None
    answer: list[str] | None
    old_question: str | None
    old_answer: list[str] | None


def compare_rows(
    scratch: Path, old: Sequence[Path], new: Sequence[Path], n_samples: int = 0
) -> tuple[Changes, list[Change]]:
    """Compare the rows in two sets of Parquet files; return the changes and some pairs of each kind.

    A file that cannot be read is a `duckdb.Error`.
    """
    with Warehouse(scratch, megabytes=min(settings().memory_mb, _MOST_MEGABYTES)) as warehouse:
        for name, files in (("old_rows", old), ("new_rows", new)):
            warehouse.pairs_view(name, _COLUMNS, [files])
        warehouse.run("shard_diff", n=n_samples)
        warehouse.run("diff_samples")
        counts = {kind: n_pairs for kind, n_pairs, _ in warehouse.rows("shard_diff")}
        samples = [Change(*row) for row in warehouse.rows("diff_samples")]
    kinds = ("added", "changed", "retired", "unchanged")
    return Changes(*(counts.get(kind, 0) for kind in kinds)), samples
