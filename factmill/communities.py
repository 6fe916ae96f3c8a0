"""Groups among things of which pairs are near each other: the largest first, each around one of its members.

A group is a member and all that are near it. The largest is taken, its members go, and the next largest of what is left
follows. So groups do not overlap, and none is larger than the one before it.
"""

import heapq
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]


class Community(NamedTuple):
    """A member and those near it, itself among them, in order."""

    centre: int
    members: list[int]


def communities(weights: Sequence[int], first: Rows, second: Rows, least: int) -> Iterator[Community]:
    """Yield groups of at least this weight; of equals the one around the earlier member comes first."""
    weight = np.array(weights, np.int64)
    near = _neighbours(len(weight), first, second)
    is_free = np.ones(len(weight), bool)
    queue = [(-int(weight[some].sum()), centre) for centre, some in enumerate(near)]
    heapq.heapify(queue)
    while queue and -queue[0][0] >= least:
        told, centre = heapq.heappop(queue)
        if not is_free[centre]:
            continue
        left = near[centre][is_free[near[centre]]]
        size = int(weight[left].sum())
        if size == -told:
            is_free[left] = False
            yield Community(centre, left.tolist())
        else:
            # Others have taken some: it waits until it is the largest as it is now.
            heapq.heappush(queue, (-size, centre))


def _neighbours(n: int, first: Rows, second: Rows) -> list[Rows]:
    """Return for each what is near it, and itself."""
    itself = np.arange(n)
    one = np.concatenate([itself, first, second])
    other = np.concatenate([itself, second, first])
    order = np.lexsort((other, one))
    return np.split(other[order], np.searchsorted(one[order], itself[1:]))
