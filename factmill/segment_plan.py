"""Which segments of an index shard stay, and which rows go into new ones.

A large shard is a few HNSW segments and a flat one with what was added since. The flat one is written anew with each
change, so a change costs itself; when it is a large share of the shard its rows become HNSW too. A segment of which
much is retired is dissolved: its live rows go where added ones go, with the vectors they have.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from factmill.pair_texts import Rows

_MOST_ADDED = 0.1
"""The share of a shard that its flat segment may be."""
_LEAST_LIVE = 2 / 3
"""The share of an HNSW segment that must be live for it to stay."""


@dataclass(frozen=True)
class Sizes:
    """Rows up to which a shard is searched exactly, and rows of a segment at most."""

    flat_rows: int
    segment_rows: int


@dataclass(frozen=True)
class NewSegment:
    """Rows of the look-up that make a segment, in their order."""

    kind: Literal["flat", "hnsw"]
    rows: Rows


@dataclass(frozen=True)
class Plan:
    """The numbers of the segments that stay, and the new ones."""

    kept: list[int]
    new: list[NewSegment]


def plan_segments(kinds: Sequence[str], rows: Sequence[Rows], n_pairs: int, sizes: Sizes) -> Plan:
    """Plan for a shard of so many pairs whose segments hold these rows of the look-up, -1 for retired pairs."""
    live = [segment[segment >= 0] for segment in rows]
    if n_pairs <= sizes.flat_rows:
        return _flat_shard(kinds, rows, live, n_pairs)
    kept = [
        number
        for number, kind in enumerate(kinds)
        if kind == "hnsw" and len(live[number]) >= _LEAST_LIVE * len(rows[number])
    ]
    loose = _rest(live, kept, n_pairs)
    if len(loose) <= min(sizes.flat_rows, _MOST_ADDED * n_pairs):
        return _with_added(kinds, rows, kept, loose)
    # Large segments stay as they are; small ones become one with what was added.
    kept = [number for number in kept if len(live[number]) >= sizes.segment_rows // 2]
    loose = _rest(live, kept, n_pairs)
    n_parts = -(-len(loose) // sizes.segment_rows)
    parts = np.array_split(loose, n_parts) if n_parts else []
    return Plan(kept, [NewSegment("flat" if len(part) <= sizes.flat_rows else "hnsw", part) for part in parts])


def _flat_shard(kinds: Sequence[str], rows: Sequence[Rows], live: Sequence[Rows], n_pairs: int) -> Plan:
    if len(rows) == 1 and kinds[0] == "flat" and len(rows[0]) == len(live[0]) == n_pairs:
        return Plan([0], [])
    return Plan([], [NewSegment("flat", np.arange(n_pairs, dtype=np.int32))] if n_pairs else [])


def _with_added(kinds: Sequence[str], rows: Sequence[Rows], kept: list[int], loose: Rows) -> Plan:
    for number, kind in enumerate(kinds):
        if kind == "flat" and np.array_equal(rows[number], loose):
            return Plan([*kept, number], [])
    return Plan(kept, [NewSegment("flat", loose)] if len(loose) else [])


def _rest(live: Sequence[Rows], kept: Sequence[int], n_pairs: int) -> Rows:
    """Return the rows that are in none of the kept segments."""
    is_kept: npt.NDArray[np.bool_] = np.zeros(n_pairs, np.bool_)
    for number in kept:
        is_kept[live[number]] = True
    return np.flatnonzero(~is_kept).astype(np.int32)
