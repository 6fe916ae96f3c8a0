"""Exports: pairs as files that other tools read, without those that may not be passed on."""

import gzip
import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from factmill.corpus import Corpus
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.names import ShardName

_NOT_TO_BE_PASSED_ON = r"(?i)\bnc\b|non-?commercial"
_COLUMNS = ("qa_id", "ordinal", "question", "answer", "source", "predicate", "licence")


@dataclass(frozen=True)
class Exported:
    """What was written, and what was left out because of its licence."""

    path: Path
    n_pairs: int
    left_out: dict[str, int]
    """Pairs by shard."""


def may_be_passed_on(licence: str | None) -> bool:
    """Tell whether pairs of a licence may be given to anybody. What has no licence is the user's own import.

    >>> [may_be_passed_on(licence) for licence in ("CC0-1.0", None, "IMDb non-commercial", "CC BY-NC 4.0")]
    [True, True, False, False]
    """
    return re.search(_NOT_TO_BE_PASSED_ON, licence or "") is None


def export_paq(
    home: Home, path: Path, shards: Sequence[ShardName] | None = None, *, include_noncommercial: bool = False
) -> Exported:
    """Write pairs as PAQ's JSONL, one shard after the other, a base in its own order."""
    corpus = Corpus(home).latest()
    present = list(corpus.shards())
    if unknown := [shard for shard in shards or () if shard not in present]:
        raise ConfigError(f"{unknown[0]} is not in the corpus. See `factmill corpus log`.")
    n_pairs = 0
    left_out: dict[str, int] = {}
    with _new_file(path) as file:
        for shard in sorted(set(shards)) if shards else present:
            rows = corpus.rows(shard, _COLUMNS).sort_by([("ordinal", "ascending"), ("qa_id", "ascending")])
            kept = rows if include_noncommercial else _passed_on(rows)
            if n_left := rows.num_rows - kept.num_rows:
                left_out[str(shard)] = n_left
            n_pairs += kept.num_rows
            for batch in kept.to_batches(max_chunksize=10_000):
                file.writelines(_line(row) for row in batch.to_pylist())
        if not n_pairs:
            raise ConfigError(_nothing(left_out))
    return Exported(path, n_pairs, left_out)


def _passed_on(rows: pa.Table) -> pa.Table:
    licences = rows["licence"].unique().to_pylist()
    allowed = pa.array([licence for licence in licences if may_be_passed_on(licence)], pa.string())
    return rows.filter(pc.is_in(rows["licence"], allowed))


def _line(row: dict[str, object]) -> str:
    shard = f"{row['source']}/{row['predicate']}"
    pair = {"question": row["question"], "answer": row["answer"]}
    return json.dumps(pair | {"qa_id": row["qa_id"], "shard": shard, "licence": row["licence"]}) + "\n"


def _nothing(left_out: dict[str, int]) -> str:
    if not left_out:
        return "there is nothing to export. Add pairs with `factmill augment` or `factmill corpus import` first."
    return (
        f"all {sum(left_out.values()):,} pairs are under a licence that does not let them be passed on. Nothing was"
        " written; --include-noncommercial exports them for your own use."
    )


@contextmanager
def _new_file(path: Path) -> Iterator[IO[str]]:
    """Give a file that appears under its name when it is complete."""
    if path.exists():
        raise ConfigError(f"{path} exists already. Delete it or choose another name.")
    if not path.parent.is_dir():
        raise ConfigError(f"{path.parent} is not a folder. Make it first.")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        # Without name and time in its head, so that equal pairs make equal files.
        with unfinished.open("wb") as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed, _text(packed) as file:
                    yield file
            else:
                with _text(raw) as file:
                    yield file
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _text(file: IO[bytes] | gzip.GzipFile) -> IO[str]:
    return io.TextIOWrapper(file, encoding="utf-8", newline="\n")
