"""The digest of the rows of a shard: equal rows in equal order give equal digits on every machine.

Each column is digested on its own: how long its texts or lists are, and what is in them, one behind the other, as Arrow
holds them. So no row is ever made; a test compares this with a plain loop over rows.
"""

import hashlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from factmill.settings import settings

_NULL = -1
_HEX_DIGITS = 15
"""60 bits are what fits into Delta's number."""


def rows_digest(batches: Iterable[pa.RecordBatch], heading: str) -> str:
    """Return 15 hexadecimal digits for rows and a heading."""
    columns: dict[str, _Column] = {}
    # Arrow and the digests work without Python's lock, so columns are digested side by side.
    with ThreadPoolExecutor(settings().n_threads) as pool:
        for batch in batches:
            known = [columns.setdefault(name, _Column()) for name in batch.schema.names]
            for _ in pool.map(_Column.add, known, batch.columns):
                pass
    total = hashlib.sha256(heading.encode())
    for name, column in columns.items():
        total.update(f"\n{name} {column.digits()}".encode())
    return total.hexdigest()[:_HEX_DIGITS]


class _Column:
    """Digests of a column: of lengths or numbers, of the lengths of what is in its lists, and of texts."""

    def __init__(self) -> None:
        self._parts: list[Any] = [hashlib.sha256() for _ in range(3)]

    def add(self, array: pa.Array) -> None:
        numbers, lengths, texts = self._parts
        if pa.types.is_list(array.type):
            numbers.update(_bytes(pc.list_value_length(array)))
            array, numbers = array.flatten(), lengths
        if pa.types.is_string(array.type):
            numbers.update(_bytes(pc.binary_length(array)))
            texts.update(_text(array))
        else:
            # A number may be what stands for null among lengths.
            lengths.update(_bytes(pc.is_valid(array)))
            numbers.update(_bytes(array.cast(pa.int32()) if pa.types.is_date32(array.type) else array))

    def digits(self) -> str:
        return " ".join(part.hexdigest() for part in self._parts)


def _bytes(numbers: pa.Array) -> bytes:
    filled = pc.fill_null(numbers.cast(pa.int64()), _NULL)
    return bytes(filled.to_numpy(zero_copy_only=False).astype(np.dtype("<i8")).tobytes())


def _text(array: pa.Array) -> memoryview:
    """Return the texts one behind the other, nulls left out."""
    array = array.drop_null()
    offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    if not len(array) or data is None:
        return memoryview(b"")
    return memoryview(data)[int(offsets[0]) : int(offsets[-1])]
