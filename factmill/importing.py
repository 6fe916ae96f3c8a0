"""Importing a base corpus: PAQ's or NQ-open's JSONL becomes a shard like any other.

The base has no facts behind it. It keeps its order (`ordinal`) and its duplicates, because PAQ's tools take the line
number for the id of a vector, and its wording, because it is not ours.
"""

import gc
import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic_core import from_json

from factmill.corpus import Corpus, Origin, Written
from factmill.errors import ConfigError, SourceFormatError
from factmill.full_disk import full_disk_is_said
from factmill.home import Home
from factmill.identity import file_digest
from factmill.lineblocks import read_lines
from factmill.names import ShardName
from factmill.progress import progress
from factmill.project import source_names
from factmill.rejects import Rejects
from factmill.settings import settings
from factmill.shard_rows import ShardRows
from factmill.warehouse import Warehouse

_IMPORTED = pa.schema([("ordinal", pa.int64()), ("question", pa.string()), ("answer", pa.list_(pa.string()))])
_ROWS_A_BATCH = 50_000
_MOST_MEGABYTES = 1_000
"""What DuckDB may take of the 1.5 GB of the whole process."""


def import_base(home: Home, path: Path, shard: ShardName, licence: str | None) -> tuple[Written, Rejects]:
    """Make the pairs of a JSONL file a shard of the corpus; however many, only some are in memory at a time."""
    if shard.source in source_names():
        raise ConfigError(f"{shard} would be milled from {shard.source}. Import under another name, such as paq/base.")
    digest = file_digest(path)
    with (
        full_disk_is_said(home),
        home.scratch() as scratch,
        Rejects.of_run(home, f"import-{shard.source}") as rejects,
    ):
        imported = scratch / "imported.parquet"
        _copy_pairs(path, imported, rejects)
        rows = _base_rows(imported, shard, licence, scratch)
        if not rows.n_rows:
            raise SourceFormatError(
                f"{path} holds no question-answer pairs (see {rejects.file}). Nothing was imported."
            )
        origin = Origin(run=rejects.run, snapshot=digest[:16], template_digest="", licence=licence)
        return Corpus(home).write(shard, rows, origin), rejects


def _base_rows(imported: Path, shard: ShardName, licence: str | None, scratch: Path) -> ShardRows:
    """Give the imported pairs their identities."""
    file = scratch / "base.parquet"
    with Warehouse(scratch, megabytes=min(settings().memory_mb, _MOST_MEGABYTES)) as warehouse:
        warehouse.view("imported", imported)
        asked = {"shard": pa.array([str(shard)]), "licence": pa.array([licence], pa.string())}
        warehouse.load("asked", pa.table(asked))
        warehouse.run("base_pairs")
        return ShardRows(shard, file, warehouse.copy_to_parquet("base_pairs", file, compression="snappy"))


def _copy_pairs(path: Path, file: Path, rejects: Rejects) -> None:
    """Write the pairs of a JSONL file to a Parquet file."""
    # The file is read once and then gone: what it takes to write counts, not its size.
    form = pq.ParquetWriter(file, _IMPORTED, compression="none", use_dictionary=False, write_statistics=False)
    # A batch is written while the next is read.
    with form as writer, ThreadPoolExecutor(1) as pool, _no_search_for_cycles():
        written: Future[None] | None = None
        for columns in _batches(path, rejects):
            arrays = list(map(pa.array, columns, _IMPORTED.types))
            if written:
                written.result()
            written = pool.submit(writer.write_batch, pa.RecordBatch.from_arrays(arrays, schema=_IMPORTED))
        if written:
            written.result()


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Switch Python's search for cycles off: nothing here makes any, and among millions of lists it takes a fifth."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _batches(path: Path, rejects: Rejects) -> Iterator[tuple[list[int], list[str], list[list[str]]]]:
    ordinals: list[int] = []
    questions: list[str] = []
    answers: list[list[str]] = []
    bytes_done = 0
    with progress(f"importing {path.name}", path.stat().st_size, "bytes") as advance:
        for ordinal, (line, bytes_read) in enumerate(read_lines(path)):
            fault, pair = parse_pair(line)
            if pair is None:
                rejects.add(fault, line.decode("utf-8", "backslashreplace"), f"line {ordinal + 1}")
                continue
            ordinals.append(ordinal)
            questions.append(pair[0])
            answers.append(pair[1])
            if len(ordinals) == _ROWS_A_BATCH:
                advance(bytes_read - bytes_done)
                bytes_done = bytes_read
                yield ordinals, questions, answers
                ordinals, questions, answers = [], [], []
    yield ordinals, questions, answers


def parse_pair(line: bytes) -> tuple[str, tuple[str, list[str]] | None]:
    """Read one line; return the fault, or the question and its answers.

    PAQ's plain form has a list of answers, its metadata form a single text.

    >>> parse_pair(b'{"question": "who wrote carmen", "answer": ["Georges Bizet"]}')
    ('', ('who wrote carmen', ['Georges Bizet']))
    """
    try:
        row = read_json(line)
    except (ValueError, RecursionError):
        return "not JSON", None
    return pair_of(row)


def pair_of(row: object) -> tuple[str, tuple[str, list[str]] | None]:
    """Return the fault of a record, or its question and its answers."""
    if not isinstance(row, dict) or not isinstance(row.get("question"), str) or not row["question"].strip():
        return "no question", None
    answer = [row["answer"]] if isinstance(row.get("answer"), str) else row.get("answer")
    if not isinstance(answer, list) or not answer or not all(isinstance(form, str) and form.strip() for form in answer):
        return "no answer", None
    if "\x1f" in row["question"] or not _is_text(row["question"], *answer):
        return "characters that are no text", None
    return "", (row["question"], answer)


def read_json(line: bytes) -> Any:
    """Read JSON with pydantic's reader, three times as fast as Python's, which knows what that one refuses."""
    try:
        return from_json(line)
    except ValueError:
        return json.loads(line.decode("utf-8-sig"))


def _is_text(*texts: str) -> bool:
    """Tell whether there is no half of a character among the texts."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True
