"""Pairs of vectors whose cosine is above 0.9, without comparing all of them where there are many.

Up to 10,000 vectors all are compared. Of more, only those are that may be near: each vector is first reduced to its
signs, a bit for each number, and FAISS looks for vectors that differ in few bits, in the cells around each. Candidates
are then compared exactly, so no pair is wrong; what is missed is measured in benchmarks/bench_clusters.py.

Vectors are whole numbers and so are all sums, so pairs do not depend on threads or on how many are compared at once.
"""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import faiss
import numpy as np
import numpy.typing as npt

from factmill.encoders import Vectors
from factmill.settings import settings

COSINE = 0.9
_EXACT_UP_TO = 10_000
_ROWS_AT_ONCE = 1_000
_CANDIDATES_AT_ONCE = 4_096
_CELLS_PER_ROOT = 2.5
_CELLS_SEARCHED = 40
_SLACK = 1.8
"""Signs of vectors with that cosine differ in about arccos(cosine) / pi of the places, in at most 1.75 times that."""

Rows = npt.NDArray[np.int64]
Pairs = tuple[Rows, Rows]


def near_pairs(vectors: Vectors, grid: int, *, exact_up_to: int = _EXACT_UP_TO) -> Pairs:
    """Return rows that are near each other, the smaller first, in order."""
    least = COSINE * grid * grid
    found = _all_pairs(vectors, least) if len(vectors) <= exact_up_to else _pairs_by_signs(vectors, least)
    pairs = list(found)
    if not pairs:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate([first for first, _ in pairs]), np.concatenate([second for _, second in pairs])


def _all_pairs(vectors: Vectors, least: float) -> Iterator[Pairs]:
    floats = vectors.astype(np.float32)
    for start in range(0, len(floats), _ROWS_AT_ONCE):
        some, others = floats[start : start + _ROWS_AT_ONCE], floats[start:]
        first, second = np.nonzero(some @ others.T > least)
        is_later = first < second
        yield first[is_later] + start, second[is_later] + start


def _pairs_by_signs(vectors: Vectors, least: float) -> Iterator[Pairs]:
    most_different = int(_SLACK * math.acos(COSINE) / math.pi * vectors.shape[1])
    candidates = _candidates(_signs(vectors), most_different)
    for start in range(0, len(candidates), _CANDIDATES_AT_ONCE):
        first, second = np.divmod(candidates[start : start + _CANDIDATES_AT_ONCE], len(vectors))
        dots = np.einsum("ij,ij->i", vectors[first].astype(np.float32), vectors[second].astype(np.float32))
        is_near = dots > least
        yield first[is_near], second[is_near]


def _signs(vectors: Vectors) -> npt.NDArray[np.uint8]:
    """Return for each number whether it is above the mean of its column, as bits.

    Filled up to a power of two: FAISS compares 64 bytes faster than 48.
    """
    means = vectors.sum(axis=0, dtype=np.int64) // len(vectors)
    signs = np.packbits(vectors > means, axis=1)
    width = 1 << (signs.shape[1] - 1).bit_length()
    return np.pad(signs, ((0, 0), (0, width - signs.shape[1])))


def _candidates(signs: npt.NDArray[np.uint8], most_different: int) -> Rows:
    """Return pairs of which few signs differ, each once and as one number: first times all, and second."""
    starts = range(0, len(signs), _ROWS_AT_ONCE)
    # Threads of our own: FAISS' wait for each other after every few rows, which takes long on a busy machine.
    with ThreadPoolExecutor(settings().n_threads, initializer=faiss.omp_set_num_threads, initargs=(1,)) as pool:
        index = pool.submit(_cells, signs).result()
        found = list(pool.map(lambda start: _around(index, signs, start, most_different), starts))
    return np.unique(np.concatenate(found))


def _around(index: faiss.IndexBinaryIVF, signs: npt.NDArray[np.uint8], start: int, most_different: int) -> Rows:
    """Return the pairs of some rows."""
    limits, _, other = index.range_search(signs[start : start + _ROWS_AT_ONCE], most_different)
    row = np.repeat(np.arange(len(limits) - 1) + start, np.diff(limits.astype(np.int64)))
    # A row may lie in a cell around another one, and not the other way round.
    is_other = row != other
    pairs: Rows = (np.minimum(row, other) * len(signs) + np.maximum(row, other))[is_other]
    return pairs


def _cells(signs: npt.NDArray[np.uint8]) -> faiss.IndexBinaryIVF:
    """Return an index of cells around rows that are chosen at equal distances."""
    n_cells = round(_CELLS_PER_ROOT * math.sqrt(len(signs)))
    centres = faiss.IndexBinaryFlat(8 * signs.shape[1])
    centres.add(signs[np.arange(n_cells) * len(signs) // n_cells])
    index = faiss.IndexBinaryIVF(centres, 8 * signs.shape[1], n_cells)
    index.is_trained = True
    index.nprobe = min(_CELLS_SEARCHED, n_cells)
    index.add(signs)
    # The index does not keep its centres itself.
    index.centres = centres
    return index
