"""The look-up of an index: what is shown and compared of each pair of a shard, in the order of `qa_id`.

It is an Arrow file that is mapped, not read: a row is found at its place, whatever the size of the shard. The corpus
itself would have to be searched, a second for a base of millions.

A pair is known by its key: two halves of its `qa_id` and a hash of what of its question is encoded. Equal hashes mean
equal vectors and, to a user, equal questions.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.corpus_version import CorpusVersion
from factmill.encoders import encoded_text
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA

COLUMNS = ("qa_id", "question", "answer", "subject", "objects", "popularity", "licence", "as_of")
SCHEMA = pa.schema([PAIR_SCHEMA.field(name).with_nullable(True) for name in COLUMNS])
_ROWS_A_BATCH = 16_384

Keys = npt.NDArray[np.uint64]
"""A row a pair: high and low half of `qa_id`, hash of the question."""
Rows = npt.NDArray[np.int32]


@dataclass(frozen=True)
class PairTexts:
    """The pairs of a shard at one version of the corpus."""

    batches: Sequence[pa.RecordBatch]

    @classmethod
    def open(cls, file: Path) -> "PairTexts":
        """Map a file. What is not such a file is an ArrowException or an OSError."""
        reader = pa.ipc.open_file(pa.memory_map(str(file)))
        if not reader.schema.equals(SCHEMA):
            raise pa.ArrowInvalid("it has other columns")
        return cls([reader.get_batch(number) for number in range(reader.num_record_batches)])

    def __len__(self) -> int:
        return sum(map(len, self.batches))

    def column(self, name: str, rows: npt.NDArray[np.integer]) -> list[Any]:
        """Return the values of a column in these rows, in their order."""
        values: list[Any] = [None] * len(rows)
        for number, places, within in self._by_batch(rows):
            found = self.batches[number][name].take(pa.array(within)).to_pylist()
            for place, value in zip(places.tolist(), found, strict=True):
                values[place] = value
        return values

    def rows(self, rows: npt.NDArray[np.integer]) -> list[dict[str, Any]]:
        """Return whole rows, in this order."""
        columns = [self.column(name, rows) for name in COLUMNS]
        return [dict(zip(COLUMNS, values, strict=True)) for values in zip(*columns, strict=True)]

    def _by_batch(
        self, rows: npt.NDArray[np.integer]
    ) -> Iterable[tuple[int, npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
        starts = np.concatenate([[0], np.cumsum([len(batch) for batch in self.batches])])
        numbers = np.searchsorted(starts, rows, side="right") - 1
        order = np.argsort(numbers, kind="stable")
        borders = np.flatnonzero(np.diff(numbers[order])) + 1
        for places in np.split(order, borders) if len(order) else ():
            number = int(numbers[places[0]])
            yield number, places, rows[places] - starts[number]


def write_texts(corpus: CorpusVersion, shard: ShardName, file: Path, look: Callable[[], None]) -> Keys:
    """Write the look-up of a shard and return the keys of its pairs; `look` is called now and then."""
    parts = [np.empty((0, 3), np.uint64)]
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as writer:
        for batch in _batches(corpus, shard):
            look()
            writer.write_batch(batch)
            parts.append(pair_keys(batch))
    return np.concatenate(parts)


def texts_in_memory(corpus: CorpusVersion, shard: ShardName) -> tuple[PairTexts, Keys]:
    """Read what the look-up of a shard would hold, and the keys of its pairs."""
    batches = list(_batches(corpus, shard))
    return PairTexts(batches), np.concatenate([np.empty((0, 3), np.uint64), *map(pair_keys, batches)])


def _batches(corpus: CorpusVersion, shard: ShardName) -> Iterable[pa.RecordBatch]:
    for batch in corpus.batches(shard, COLUMNS, by=("qa_id",), rows_a_batch=_ROWS_A_BATCH):
        yield batch.cast(SCHEMA)


def pair_keys(batch: pa.RecordBatch) -> Keys:
    """Return the keys of pairs."""
    halves = np.frombuffer(bytes.fromhex("".join(batch["qa_id"].to_pylist())), ">u8").reshape(-1, 2)
    hashes = b"".join(
        hashlib.sha256(encoded_text(question).encode()).digest()[:8] for question in batch["question"].to_pylist()
    )
    return np.column_stack([halves, np.frombuffer(hashes, ">u8")]).astype(np.uint64)


def places_of(keys: Keys, among: Keys) -> Rows:
    """Return where each key stands among others, which are sorted; -1 where it does not."""
    if not len(among):
        return np.full(len(keys), -1, np.int32)
    # Two pairs with the same first half of their ids would only be taken for gone, and encoded again.
    found = np.minimum(np.searchsorted(among[:, 0], keys[:, 0]), len(among) - 1)
    return np.where((among[found] == keys).all(axis=1), found, -1).astype(np.int32)
