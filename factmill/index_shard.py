"""Searching the index of one shard.

Exact search compares a question with every vector; HNSW follows links between neighbours and misses a few. What a
found pair scores is the same in both. Many questions at once are searched exactly by multiplying matrices, a block of
vectors at a time, which costs no more than one flat index of floats over all shards.
"""

import time
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import faiss
import numpy as np
import numpy.typing as npt

from factmill.corpus_version import CorpusVersion
from factmill.encoders import Encoder, Vectors
from factmill.errors import IndexFileError
from factmill.index_files import IndexFolder, Segment, read_rows, read_texts
from factmill.index_manifest import IndexManifest
from factmill.pair_texts import PairTexts, Rows, places_of, texts_in_memory
from factmill.ranking import NOTHING, Ranking, side_by_side
from factmill.settings import settings

_TIES = 8
_MOST_GONE = 0.05
"""With a smaller share of live rows all of these are compared."""
_ROWS_A_BLOCK = 16_384
_FEW_QUESTIONS = 20
"""With fewer, multiplying matrices has no advantage."""
_READ_ATTEMPTS = 20
_SECONDS_BETWEEN_READS = 0.02

Mask = npt.NDArray[np.bool_]
Top = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]
"""Scores, and rows of a segment."""


@dataclass(frozen=True)
class _Part:
    """A segment, where its pairs stand in the look-up, and which are live; None if all are."""

    segment: Segment
    rows: Rows
    live: Mask | None

    @cached_property
    def n_live(self) -> int:
        return len(self.segment) if self.live is None else int(np.count_nonzero(self.live))

    @cached_property
    def selector(self) -> faiss.IDSelectorBitmap | None:
        return None if self.live is None else faiss.IDSelectorBitmap(np.packbits(self.live, bitorder="little"))


class IndexShard:
    """The index of one shard, restricted to the pairs of the corpus version that it serves."""

    def __init__(self, folder: IndexFolder, encoder: Encoder, corpus: CorpusVersion) -> None:
        self.shard = folder.shard
        manifest, segments, rows, self.texts = _load(folder, encoder)
        self.is_stale = manifest.corpus_digest != corpus.digest(folder.shard)
        if self.is_stale:
            self.texts, keys = texts_in_memory(corpus, folder.shard)
            rows = [places_of(segment.keys, keys) for segment in segments]
        self._parts = [_part(segment, places) for segment, places in zip(segments, rows, strict=True)]

    @property
    def n_rows(self) -> int:
        """Count the pairs that may be found."""
        return sum(part.n_live for part in self._parts)

    def narrowed(self, only: Mask) -> "IndexShard":
        """Return the same index, restricted to some rows of the look-up."""
        other = copy(self)
        other._parts = [_narrowed(part, only) for part in self._parts]
        return other

    def search(
        self, queries: Vectors, k: int, number: int, *, exact: bool = False, only: Mask | None = None
    ) -> Ranking:
        """Return the best k pairs of the shard for each query; the shard goes by this number in the ranking.

        `only` says of each row of the look-up whether it may be found.
        """
        return self.candidates(queries, k, number, exact=exact, only=only).top(k)

    def candidates(
        self, queries: Vectors, k: int, number: int, *, exact: bool = False, only: Mask | None = None
    ) -> Ranking:
        """Return in any order what may be among the best k pairs: also what ties with the last of them.

        Or chance would decide between those.
        """
        found = []
        for part in self._parts if len(queries) else ():
            narrowed = part if only is None else _narrowed(part, only)
            if narrowed.n_live:
                scores, places = _with_ties(narrowed, queries, k, exact=exact)
                found.append(_ranking(narrowed, scores, places, number))
        return side_by_side(found) if found else Ranking.empty(len(queries), k)


def _part(segment: Segment, rows: Rows) -> _Part:
    live = rows >= 0
    return _Part(segment, rows, None if live.all() else live)


def _narrowed(part: _Part, only: Mask) -> _Part:
    wanted = only[np.maximum(part.rows, 0)]
    return _Part(part.segment, part.rows, wanted if part.live is None else wanted & part.live)


def _ranking(part: _Part, scores: npt.NDArray[np.int32], places: npt.NDArray[np.int64], number: int) -> Ranking:
    keys = part.segment.keys[places]
    return Ranking(
        scores,
        np.full(scores.shape, number, np.int16),
        part.rows[places],
        keys[..., 0],
        keys[..., 2],
        np.zeros(scores.shape, np.bool_),
    )


def _with_ties(part: _Part, queries: Vectors, k: int, *, exact: bool) -> Top:
    """Search deeper and deeper until what lies behind the cut is worse than what lies before it."""
    n_live = part.n_live
    depth = min(k + _TIES, n_live)
    floats = queries.astype(np.float32)
    scores, places = _top(part, floats, depth, exact=exact)
    while depth < n_live:
        last = scores[:, min(k, depth) - 1]
        open_ended = np.flatnonzero((scores[:, -1] == last) & (last != NOTHING))
        if not len(open_ended):
            break
        depth = min(2 * depth, n_live)
        more = [(0, 0), (0, depth - scores.shape[1])]
        scores, places = np.pad(scores, more, constant_values=NOTHING), np.pad(places, more)
        scores[open_ended], places[open_ended] = _top(part, floats[open_ended], depth, exact=exact)
    return scores, places


def _top(part: _Part, queries: npt.NDArray[np.float32], depth: int, *, exact: bool) -> Top:
    is_hnsw = part.segment.manifest.kind == "hnsw"
    # Where little is live, links mostly lead to what is gone.
    if is_hnsw and not exact and part.n_live > _MOST_GONE * len(part.segment):
        return _top_by_links(part, queries, depth)
    if len(queries) < _FEW_QUESTIONS and not is_hnsw:
        parameters = faiss.SearchParameters(sel=part.selector) if part.selector else None
        return _checked(*part.segment.index.search(queries, depth, params=parameters))
    return _top_by_matrices(part, queries, depth)


def _top_by_links(part: _Part, queries: npt.NDArray[np.float32], depth: int) -> Top:
    # Rows that are gone take up places in the search: the fewer live, the wider it must be. As long as the width does
    # not depend on the depth, the first ranks do not either.
    width = max(settings().search_width, depth) * len(part.segment) // part.n_live
    parameters = faiss.SearchParametersHNSW(sel=part.selector, efSearch=width)
    return _checked(*part.segment.index.search(queries, depth, params=parameters))


def _top_by_matrices(part: _Part, queries: npt.NDArray[np.float32], depth: int) -> Top:
    found: list[Top] = []
    for start in range(0, len(part.segment), _ROWS_A_BLOCK):
        stop = min(start + _ROWS_A_BLOCK, len(part.segment))
        chosen: slice | npt.NDArray[np.intp] = slice(start, stop)
        rows = np.arange(start, stop)
        if part.live is not None:
            chosen = rows = start + np.flatnonzero(part.live[start:stop])
        if not len(rows):
            continue
        scores, places = faiss.knn(
            queries, part.segment.floats(chosen), min(depth, len(rows)), metric=faiss.METRIC_INNER_PRODUCT
        )
        found.append((scores.astype(np.int32), rows[places]))
    scores, places = (np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))
    if len(found) > 1:
        # What is behind the cut of a block is worse than what is before it, or ties with it: the caller looks deeper.
        order = np.argsort(-scores.astype(np.int64), axis=1, kind="stable")[:, :depth]
        scores, places = np.take_along_axis(scores, order, axis=1), np.take_along_axis(places, order, axis=1)
    return scores, places


def _checked(scores: npt.NDArray[np.float32], places: npt.NDArray[np.int64]) -> Top:
    """Write scores as whole numbers; a rank that is not taken points to the first row."""
    taken = places >= 0
    return np.where(taken, scores, NOTHING).astype(np.int32), np.maximum(places, 0)


def _load(folder: IndexFolder, encoder: Encoder) -> tuple[IndexManifest, list[Segment], list[Rows], PairTexts]:
    """Read an index; look again if another run publishes a new one meanwhile and clears ours away."""
    for attempt in range(_READ_ATTEMPTS):
        manifest = folder.manifest()
        if manifest is None:
            raise IndexFileError(f"{folder.shard} is not indexed. Run `factmill index`.")
        if (manifest.encoder_digest, manifest.dimensions) != (encoder.digest, encoder.dimensions):
            raise IndexFileError(
                f"the index of {folder.shard} was made by another encoder or version ({manifest.encoder}"
                f" {manifest.encoder_digest}, now {encoder.digest}). Run `factmill index`."
            )
        try:
            segments = [Segment(folder, served.segment, manifest.dimensions) for served in manifest.segments]
            rows = [read_rows(folder, served, manifest) for served in manifest.segments]
            texts = read_texts(folder, manifest)
        except FileNotFoundError as error:
            if attempt == _READ_ATTEMPTS - 1:
                raise folder.damaged(f"{Path(error.filename or '').name or 'a file'} is missing") from error
            time.sleep(_SECONDS_BETWEEN_READS)
        else:
            folder.known.remember({file.name for file in folder.files(manifest)})
            return manifest, segments, rows, texts
    raise AssertionError("unreachable")
