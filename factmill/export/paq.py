"""PAQ's JSONL: an object a line with `question` and `answer`, and on request PAQ's metadata form beside it.

The line number is the number of the vector in PAQ's tools, so both files have one line a pair in the same order.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from factmill.export.chosen import ChosenPairs
from factmill.export.lines import Block
from factmill.names import ShardName
from factmill.plain import plain

_COLUMNS = ("qa_id", "question", "answer", "licence")
_OURS = (
    "qa_id",
    "kind",
    "template",
    "wording",
    "subject",
    "subject_label",
    "subject_name",
    "objects",
    "popularity",
    "licence",
    "as_of",
    "places",
    "wikipedia_title",
)
_SUBSETS = {"wikidata": "WD", "dbpedia": "DBP", "imdb": "IMDB"}

_quoted = json.JSONEncoder(ensure_ascii=True).encode


class PaqFormat:
    """How pairs become lines of a PAQ corpus."""

    name = "paq"

    def __init__(self, *, metadata: bool = False) -> None:
        self.beside: Sequence[str] = ("metadata",) if metadata else ()

    def blocks(self, pairs: ChosenPairs, shard: ShardName) -> Iterator[Block]:
        """Yield the lines of a shard."""
        if not self.beside:
            for batch in pairs.batches(shard, _COLUMNS):
                yield Block(len(batch), [paq_lines(batch, shard)])
            return
        for batch in pairs.batches(shard, tuple(dict.fromkeys([*_COLUMNS, *_OURS]))):
            metadata = [_metadata_line(row, shard) for row in batch.to_pylist()]
            yield Block(len(batch), [paq_lines(batch, shard), metadata])

    def figures(self) -> Mapping[str, int]:
        """Return nothing: there is nothing else to count."""
        return {}

    def origin(self) -> Mapping[str, Any]:
        """Return nothing: only the corpus shapes the lines."""
        return {}


def subset(shard: ShardName) -> str:
    """Return the tag of a source as PAQ tags its subsets.

    >>> subset(ShardName("wikidata", "P175")), subset(ShardName("paq", "base"))
    ('WD', 'PAQ')
    """
    return _SUBSETS.get(shard.source, shard.source.upper())


def paq_lines(batch: pa.RecordBatch, shard: ShardName) -> list[str]:
    """Return what `json.dumps` would give for each pair, in less time: most of a line is known beforehand."""
    name, licence = str(shard), cache(_quoted)
    answers = batch["answer"]
    ends = answers.offsets.to_pylist()
    ends = [end - ends[0] for end in ends]
    forms = list(map(_quoted, answers.flatten().to_pylist()))
    rows = zip(
        batch["question"].to_pylist(),
        ends[:-1],
        ends[1:],
        batch["qa_id"].to_pylist(),
        batch["licence"].to_pylist(),
        strict=True,
    )
    return [
        f'{{"question": {_quoted(question)}, "answer": [{", ".join(forms[start:end])}], "qa_id": "{qa_id}",'
        f' "shard": "{name}", "licence": {licence(licensed)}}}\n'
        for question, start, end, qa_id, licensed in rows
    ]


def _metadata_line(row: Mapping[str, Any], shard: ShardName) -> str:
    """Return a line of the metadata form. There is no passage, so it has no score and no answer a place in one."""
    ours = {name: plain(row[name]) for name in _OURS if row[name] is not None}
    line = {"question": row["question"], "subsets": [subset(shard)], "answer": row["answer"][0], "answers": []}
    return json.dumps(line | {"shard": str(shard)} | ours) + "\n"
