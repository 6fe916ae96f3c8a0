"""Vectors of 384 numbers at the cost of the static encoder, to measure indexes of MiniLM's size in minutes.

The static encoder's vectors are turned into a space of 384 dimensions: who is near whom stays as it was.
"""

from collections.abc import Sequence

import numpy as np

from factmill.encoders import Vectors, on_grid, usual_grid
from factmill.static_encoder import StaticEncoder

_DIMENSIONS = 384


class ProjectedEncoder:
    """The static encoder, turned."""

    name = "projected"
    digest = "00000000ba5eba11"
    dimensions = _DIMENSIONS
    grid = usual_grid(_DIMENSIONS)

    def __init__(self) -> None:
        self._static = StaticEncoder()
        chance = np.random.default_rng(0)
        columns, _ = np.linalg.qr(chance.standard_normal((_DIMENSIONS, self._static.dimensions)))
        self._turn = columns.T.astype(np.float64)

    def encode(self, questions: Sequence[str]) -> Vectors:
        """Return one row of signed bytes for each question."""
        return on_grid(self._static.encode(questions) @ self._turn, self.grid)
