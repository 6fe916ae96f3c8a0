"""Encoders for tests that need no model."""

from collections.abc import Sequence

import numpy as np

from factmill.encoders import Vectors


class RandomVectors:
    """Vectors on a coarse grid, so that ties are common; a question's number decides its vector."""

    name = "random"
    digest = "0123456789abcdef"
    dimensions = 384
    grid = 512

    def __init__(self, n_different: int = 500) -> None:
        self._n_different = n_different
        self.n_encoded = 0

    def encode(self, questions: Sequence[str]) -> Vectors:
        self.n_encoded += len(questions)
        seeds = [int(question.split()[-1]) % self._n_different for question in questions]
        rows = [np.random.default_rng(seed).integers(-3, 4, self.dimensions) for seed in seeds]
        return np.array(rows, np.int8).reshape(-1, self.dimensions)
