"""A shard's digest, compared with a plain loop over rows."""

import datetime
import hashlib
import struct
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.rows_digest import rows_digest

SCHEMA = pa.schema(
    [("name", pa.string()), ("many", pa.list_(pa.string())), ("number", pa.int64()), ("day", pa.date32())]
)
TEXTS = st.none() | st.text(st.characters(codec="utf-8"), max_size=5)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "name": TEXTS,
            "many": st.none() | st.lists(TEXTS, max_size=3),
            "number": st.none() | st.integers(-3, 3),
            "day": st.none() | st.dates(),
        }
    ),
    max_size=6,
)


def _plain_digest(rows: list[dict[str, Any]], heading: str) -> str:
    """What docs/formats.md says, value by value."""
    total = hashlib.sha256(heading.encode())
    for name in SCHEMA.names:
        numbers, lengths, texts = b"", b"", b""
        for value in (row[name] for row in rows):
            if name == "many":
                numbers += struct.pack("<q", -1 if value is None else len(value))
                for text in value or []:
                    lengths += struct.pack("<q", -1 if text is None else len(text.encode()))
                    texts += (text or "").encode()
            elif name == "name":
                numbers += struct.pack("<q", -1 if value is None else len(value.encode()))
                texts += (value or "").encode()
            else:
                lengths += struct.pack("<q", value is not None)
                if isinstance(value, datetime.date):
                    value = (value - datetime.date(1970, 1, 1)).days
                numbers += struct.pack("<q", -1 if value is None else value)
        digits = " ".join(hashlib.sha256(part).hexdigest() for part in (numbers, lengths, texts))
        total.update(f"\n{name} {digits}".encode())
    return total.hexdigest()[:15]


def _batches(rows: list[dict[str, Any]], size: int) -> list[pa.RecordBatch]:
    whole = pa.RecordBatch.from_pylist(rows, schema=SCHEMA)
    # Slices, whose offsets do not begin at 0; an empty batch tells the columns.
    return [whole.slice(0, 0), *(whole.slice(start, size) for start in range(0, len(rows), size))]


@given(ROWS, st.integers(1, 4))
def test_a_digest_is_that_of_a_plain_loop_however_the_rows_are_cut(rows: list[dict[str, Any]], size: int) -> None:
    assert rows_digest(_batches(rows, size), "heading") == _plain_digest(rows, "heading")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"name": "ab", "many": ["c"]}, {"name": "a", "many": ["bc"]}),
        ({"many": ["ab", "c"]}, {"many": ["a", "bc"]}),
        ({"many": []}, {"many": None}),
        ({"many": [None]}, {"many": [""]}),
        ({"name": None}, {"name": ""}),
        ({"number": None}, {"number": -1}),
        ({"number": 1, "day": datetime.date(1970, 1, 1)}, {"number": 0, "day": datetime.date(1970, 1, 2)}),
    ],
)
def test_rows_that_differ_have_digests_that_differ(one: dict[str, Any], other: dict[str, Any]) -> None:
    empty = dict.fromkeys(SCHEMA.names)
    assert rows_digest(_batches([empty | one], 1), "") != rows_digest(_batches([empty | other], 1), "")


def test_the_order_of_rows_and_the_heading_count() -> None:
    rows = [dict.fromkeys(SCHEMA.names) | {"name": name} for name in ("a", "b")]
    digests = {rows_digest(_batches(order, 2), head) for order in (rows, rows[::-1]) for head in ("1", "2")}
    assert len(digests) == 4
