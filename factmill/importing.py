"""Importing a base corpus: PAQ's or NQ-open's JSONL becomes a shard like any other.

The base has no facts behind it. It keeps its order (`ordinal`) and its duplicates, because PAQ's tools take the line
number for the id of a vector, and its wording, because it is not ours.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from factmill.corpus import Corpus, Origin, Written
from factmill.errors import ConfigError, SourceFormatError
from factmill.home import Home
from factmill.identity import file_digest
from factmill.lineblocks import read_lines
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA
from factmill.progress import progress
from factmill.project import source_names
from factmill.rejects import Rejects
from factmill.warehouse import Warehouse

_IMPORTED = pa.schema([("ordinal", pa.int64()), ("question", pa.string()), ("answer", pa.list_(pa.string()))])


def import_base(home: Home, path: Path, shard: ShardName, licence: str | None) -> tuple[Written, Rejects]:
    """Make the pairs of a JSONL file a shard of the corpus."""
    if shard.source in source_names():
        raise ConfigError(f"{shard} would be milled from {shard.source}. Import under another name, such as paq/base.")
    digest = file_digest(path)
    with home.scratch() as scratch, Rejects.of_run(home, f"import-{shard.source}") as rejects:
        imported = _read_pairs(path, rejects)
        if not imported.num_rows:
            raise SourceFormatError(
                f"{path} holds no question-answer pairs (see {rejects.file}). Nothing was imported."
            )
        with Warehouse(scratch) as warehouse:
            warehouse.load("imported", imported)
            warehouse.load("asked", _asked(shard, licence))
            warehouse.run("base_pairs")
            rows = warehouse.query("from base_pairs order by qa_id").cast(PAIR_SCHEMA)
        origin = Origin(run=rejects.run, snapshot=digest[:16], template_digest="", licence=licence)
        return Corpus(home).write(shard, rows, origin), rejects


def _asked(shard: ShardName, licence: str | None) -> pa.Table:
    return pa.table(
        {
            "shard": pa.array([str(shard)]),
            "source": pa.array([shard.source]),
            "predicate": pa.array([shard.key]),
            "licence": pa.array([licence], pa.string()),
        }
    )


def _read_pairs(path: Path, rejects: Rejects) -> pa.Table:
    rows = list(_pairs(path, rejects))
    return pa.Table.from_pylist(rows, schema=_IMPORTED)


def _pairs(path: Path, rejects: Rejects) -> Iterator[dict[str, Any]]:
    bytes_done = 0
    with progress(f"importing {path.name}", path.stat().st_size, "bytes") as advance:
        for ordinal, (line, bytes_read) in enumerate(read_lines(path)):
            advance(bytes_read - bytes_done)
            bytes_done = bytes_read
            fault, pair = parse_pair(line)
            if pair is None:
                rejects.add(fault, line.decode("utf-8", "backslashreplace"), f"line {ordinal + 1}")
            else:
                question, answer = pair
                yield {"ordinal": ordinal, "question": question, "answer": answer}


def parse_pair(line: bytes) -> tuple[str, tuple[str, list[str]] | None]:
    """Read one line; return the fault, or the question and its answers.

    PAQ's plain form has a list of answers, its metadata form a single text.

    >>> parse_pair(b'{"question": "who wrote carmen", "answer": ["Georges Bizet"]}')
    ('', ('who wrote carmen', ['Georges Bizet']))
    """
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return "not JSON", None
    if not isinstance(row, dict) or not isinstance(row.get("question"), str) or not row["question"].strip():
        return "no question", None
    answer = [row["answer"]] if isinstance(row.get("answer"), str) else row.get("answer")
    if not isinstance(answer, list) or not answer or not all(isinstance(form, str) and form.strip() for form in answer):
        return "no answer", None
    if "\x1f" in row["question"] or _has_surrogates(row["question"], *answer):
        return "characters that are no text", None
    return "", (row["question"], answer)


def _has_surrogates(*texts: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for text in texts for character in text)
