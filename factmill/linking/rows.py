"""Rows of different lengths in one array: for each thing a few numbers, such as the words that describe an entity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """The numbers of thing `i` are `values[bounds[i]:bounds[i + 1]]`."""

    bounds: Places
    values: Numbers

    @classmethod
    def of(cls, things: Numbers, values: Numbers, n_things: int) -> "Rows":
        """Collect pairs of a thing and a number; a pair that is there twice counts once.

        >>> Rows.of(np.array([2, 0, 2, 2]), np.array([7, 5, 6, 7]), 3)
        Rows(bounds=array([0, 1, 1, 3]), values=array([5, 6, 7]))
        """
        order = np.lexsort((values, things))
        things, values = things[order], values[order]
        is_new = np.ones(len(things), bool)
        is_new[1:] = (things[1:] != things[:-1]) | (values[1:] != values[:-1])
        things, values = things[is_new], values[is_new]
        return cls(np.searchsorted(things, np.arange(n_things + 1)), values)

    def spread(self, wanted: Numbers) -> tuple[Places, Numbers]:
        """Return the numbers of the wanted things, and for each the place of its thing among the wanted.

        >>> Rows.of(np.array([0, 1, 1]), np.array([5, 6, 7]), 2).spread(np.array([1, 0, 1]))
        (array([0, 0, 1, 2, 2]), array([6, 7, 5, 6, 7]))
        """
        which, places = spread(self.bounds[wanted], self.bounds[wanted + 1])
        return which, self.values[places]


def spread(starts: Numbers, ends: Numbers) -> tuple[Places, Places]:
    """Return the places of several ranges one after the other, and for each which range it is of."""
    counts = ends - starts
    which = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(starts - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) if len(counts) else counts
    return which, np.arange(len(which)) + first


def joined(parts: Sequence[Numbers], kind: type[np.generic]) -> Numbers:
    """Return arrays as one, also none of them."""
    return np.concatenate(parts) if parts else np.empty(0, kind)
