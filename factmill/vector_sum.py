"""A digest of pairs and their vectors that does not depend on their order, and from which pairs can be taken out.

Each pair becomes two numbers of 64 bits, and the digest is their sums. So an index that was brought up to date piece
by piece has the digest of one that was built at once, and no vector that stayed has to be read for it. It tells two
indexes apart; it is no protection from forgery.
"""

import numpy as np
import numpy.typing as npt

from factmill.encoders import Vectors
from factmill.pair_texts import Keys

_LANES = 2
_ROWS_A_STEP = 16_384
_MODULUS = 1 << 64


class VectorSum:
    """Sums of pairs, modulo 2^64."""

    def __init__(self, digits: str = "0" * 32) -> None:
        self._lanes = [int(digits[:16], 16), int(digits[16:], 16)]

    def add(self, keys: Keys, vectors: Vectors) -> "VectorSum":
        """Take pairs in."""
        return self._moved(keys, vectors, 1)

    def subtract(self, keys: Keys, vectors: Vectors) -> "VectorSum":
        """Take pairs out."""
        return self._moved(keys, vectors, -1)

    def join(self, other: "VectorSum") -> "VectorSum":
        """Take in all pairs of another sum."""
        self._lanes = [(a + b) % _MODULUS for a, b in zip(self._lanes, other._lanes, strict=True)]
        return self

    def digits(self) -> str:
        """Return 32 hexadecimal digits."""
        return "".join(f"{lane:016x}" for lane in self._lanes)

    def _moved(self, keys: Keys, vectors: Vectors, sign: int) -> "VectorSum":
        for start in range(0, len(keys), _ROWS_A_STEP):
            some = slice(start, start + _ROWS_A_STEP)
            for lane in range(_LANES):
                total = int(_numbers(keys[some], vectors[some], lane).sum(dtype=np.uint64))
                self._lanes[lane] = (self._lanes[lane] + sign * total) % _MODULUS
        return self


def _numbers(keys: Keys, vectors: Vectors, lane: int) -> npt.NDArray[np.uint64]:
    """Return a number for each pair: its words by odd factors, summed and stirred."""
    padded = np.pad(vectors, ((0, 0), (0, -vectors.shape[1] % 8)))
    words = np.ascontiguousarray(padded).view("<u8").astype(np.uint64, copy=False)
    factors = np.random.PCG64(lane).random_raw(words.shape[1] + 2) | np.uint64(1)
    numbers: npt.NDArray[np.uint64] = words @ factors[2:] + keys[:, 0] * factors[0] + keys[:, 1] * factors[1]
    numbers ^= numbers >> np.uint64(32)
    numbers *= factors[0]
    numbers ^= numbers >> np.uint64(29)
    return numbers
