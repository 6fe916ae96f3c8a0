"""Small shards for tests."""

import hashlib
from collections.abc import Iterable, Mapping

import pyarrow as pa
from deltalake import CommitProperties, Transaction, write_deltalake

from factmill.corpus import Corpus, Origin
from factmill.delta import shard_predicate
from factmill.home import Home
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
        }
        for question, answer in given.items()
    ]
    return pa.Table.from_pylist(rows, schema=PAIR_SCHEMA).sort_by("qa_id")


def scatter(home: Home, shard: ShardName, n_files: int) -> None:
    """Write a shard again, as many small files: under its own transaction number, as a writer in pieces would."""
    latest = Corpus(home).latest()
    rows, digest = latest.rows(shard), latest.digest(shard) or "0"
    size = -(-rows.num_rows // n_files)
    commit = CommitProperties(app_transactions=[Transaction(str(shard), int(digest, 16))])
    first, predicate = rows.slice(0, size), shard_predicate(shard)
    write_deltalake(home.corpus, first, mode="overwrite", predicate=predicate, commit_properties=commit)
    for start in range(size, rows.num_rows, size):
        write_deltalake(home.corpus, rows.slice(start, size), mode="append", commit_properties=commit)
    assert len(Corpus(home).latest().files(shard)) == n_files
