"""Small shards for tests."""

import hashlib
from collections.abc import Iterable, Mapping

import pyarrow as pa

from factmill.corpus import Origin
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA

ORIGIN = Origin(run="test", snapshot="0", template_digest="0", licence="CC0-1.0")


def shard_rows(shard: ShardName, answers: Mapping[str, str] | Iterable[str]) -> pa.Table:
    """Return pairs of questions and answers as rows of a shard."""
    given = answers if isinstance(answers, Mapping) else dict.fromkeys(answers, "yes")
    rows = [
        {
            "qa_id": hashlib.sha256(f"{shard} {question}".encode()).hexdigest()[:32],
            "question": question,
            "answer": [answer],
            "source": shard.source,
            "predicate": shard.key,
            "kind": "single",
            "popularity": 1,
            "views": 0,
        }
        for question, answer in given.items()
    ]
    return pa.Table.from_pylist(rows, schema=PAIR_SCHEMA).sort_by("qa_id")
