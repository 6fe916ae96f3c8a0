"""Hashes of many pieces of one text at once, each the same wherever the piece stands.

A polynomial over the characters: with the sums up to each place, the hash of any piece is one subtraction. All is
modulo 2^64, where an odd base has an inverse. Characters are mixed first and the result again, or names of similar
letters would meet.
"""

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)


class Powers:
    """Powers of the base and of its inverse, as many as were needed so far."""

    def __init__(self) -> None:
        self._both = _powers(1 << 16)

    def up_to(self, n: int) -> tuple[Hashes, Hashes]:
        """Return at least so many of both."""
        both = self._both
        if len(both[0]) < n:
            # Several threads may come here; each has what it needs, whichever is kept.
            both = _powers(2 * n)
            self._both = both
        return both


def _powers(n: int) -> tuple[Hashes, Hashes]:
    factors = np.empty((2, n), np.uint64)
    factors[0], factors[1], factors[:, 0] = np.uint64(_BASE), np.uint64(_INVERSE), 1
    powers = np.cumprod(factors, axis=1, dtype=np.uint64)
    return powers[0], powers[1]


_POWERS = Powers()


def hashes(text: str, starts: Places, ends: Places) -> Hashes:
    """Return the hash of each piece of a text.

    >>> one, other = hashes("hello adele hello", np.array([0, 12]), np.array([5, 17]))
    >>> bool(one == other)
    True
    """
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.uint64)
    powers, inverses = _POWERS.up_to(len(codes) + 1)
    sums = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(_mixed(codes) * powers[: len(codes)], out=sums[1:])
    return _mixed((sums[ends] - sums[starts]) * inverses[starts] + (ends - starts).astype(np.uint64))


def _mixed(numbers: Hashes) -> Hashes:
    """Return the finaliser of SplitMix64 of each number."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
