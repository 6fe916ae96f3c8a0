"""Rows between the kernel and Arrow: room that the kernel fills, and the batches that are made of it.

A batch of facts is sorted by predicate and then by place in the file.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.facts import IdSpace, Kind, Role
from factmill.names import PropertyId

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]
Ends = npt.NDArray[np.int32]

KINDS = [Kind.ENTITY, Kind.DATE, Kind.QUANTITY, Kind.TEXT, Kind.COORDINATE, Kind.URL]
ROLES = [Role.LABEL, Role.ALIAS, Role.DESCRIPTION, Role.TYPE]


class Facts(NamedTuple):
    """Room for facts. Text is one run of bytes, with the end of each row's part of it."""

    predicate: npt.NDArray[np.int32]
    subject: Numbers
    object: Numbers
    kind: Bytes
    stream: Numbers
    offset: Numbers
    text: Bytes
    text_end: Ends
    lang: Bytes
    lang_end: Ends

    @classmethod
    def of_size(cls, n_rows: int, n_bytes: int) -> "Facts":
        """Make room for this many rows and bytes of text. Pages that are never written take no memory."""
        return cls(
            predicate=np.empty(n_rows, np.int32),
            subject=np.empty(n_rows, np.int64),
            object=np.empty(n_rows, np.int64),
            kind=np.empty(n_rows, np.uint8),
            stream=np.empty(n_rows, np.int64),
            offset=np.empty(n_rows, np.int64),
            text=np.empty(n_bytes, np.uint8),
            text_end=np.zeros(n_rows + 1, np.int32),
            lang=np.empty(n_bytes, np.uint8),
            lang_end=np.zeros(n_rows + 1, np.int32),
        )

    def batch(self, n: int) -> pa.RecordBatch:
        """Return the first n rows, sorted."""
        order = np.lexsort((self.offset[:n], self.stream[:n], self.predicate[:n]))
        kind = self.kind[:n][order]
        place = [pa.array(column[:n][order]) for column in (self.stream, self.offset)]
        schema = IdSpace.WIKIDATA.fact_schema()
        columns = {
            "predicate": pa.array(self.predicate[:n][order]),
            "subject": pa.array(self.subject[:n][order]),
            "object": pa.array(self.object[:n][order], mask=kind != KINDS.index(Kind.ENTITY)),
            "value": _texts(self.text, self.text_end, n, self.kind[:n] == KINDS.index(Kind.ENTITY)).take(order),
            "kind": pa.DictionaryArray.from_arrays(pa.array(kind.view(np.int8)), pa.array(KINDS)),
            "lang": _texts(self.lang, self.lang_end, n, np.diff(self.lang_end[: n + 1]) == 0).take(order),
            "qualifiers": pa.nulls(n, schema.field("qualifiers").type),
            "place": pa.StructArray.from_arrays(place, fields=list(schema.field("place").type)),
        }
        return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


class About(NamedTuple):
    """Room for what is said about items: their names, descriptions and types."""

    item: Numbers
    role: Bytes
    position: Numbers
    text: Bytes
    text_end: Ends

    @classmethod
    def of_size(cls, n_rows: int, n_bytes: int) -> "About":
        """Make room for this many rows and bytes of text. Pages that are never written take no memory."""
        return cls(
            item=np.empty(n_rows, np.int64),
            role=np.empty(n_rows, np.uint8),
            position=np.empty(n_rows, np.int64),
            text=np.empty(n_bytes, np.uint8),
            text_end=np.zeros(n_rows + 1, np.int32),
        )

    def batch(self, n: int) -> pa.RecordBatch:
        """Return a copy of the first n rows."""
        schema = IdSpace.WIKIDATA.about_schema()
        columns = {
            "id": pa.array(self.item[:n].copy()),
            "role": pa.DictionaryArray.from_arrays(pa.array(self.role[:n].view(np.int8).copy()), pa.array(ROLES)),
            "text": _texts(self.text[: self.text_end[n]].copy(), self.text_end[: n + 1].copy(), n, None),
            "number": pa.nulls(n, pa.int64()),
            "position": pa.array(self.position[:n].copy()),
        }
        return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def _texts(data: Bytes, ends: Ends, n: int, is_null: npt.NDArray[np.bool_] | None) -> pa.Array:
    """Return rows of text without copying them. The kernel has seen that they are UTF-8."""
    valid = None if is_null is None else pa.py_buffer(np.packbits(~is_null, bitorder="little"))
    return pa.StringArray.from_buffers(n, pa.py_buffer(ends[: n + 1]), pa.py_buffer(data[: ends[n]]), valid)


def asked_properties(properties: Iterable[PropertyId]) -> Bytes:
    """Return a 1 for each property to keep, by its number; nothing at all stands for all of them."""
    numbers = [property_id.number for property_id in properties]
    asked = np.zeros(max(numbers, default=-1) + 1, np.uint8)
    asked[numbers] = 1
    return asked
