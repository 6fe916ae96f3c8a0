"""Building the new segments of a shard: old vectors are taken over, and only the other questions are encoded.

A build that was interrupted has left whole segments, and vectors that are not in one yet; the next one takes both.
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from factmill.encoders import Encoder, Vectors
from factmill.home import write_atomically
from factmill.index_files import SIGNED_BYTES, UNFINISHED, IndexFolder, Segment, save_npy, save_vectors
from factmill.index_manifest import Kind, SegmentManifest
from factmill.pair_texts import Keys, PairTexts, Rows
from factmill.segment_plan import NewSegment
from factmill.settings import settings
from factmill.vector_sum import VectorSum

_WIDTH = 128
"""Neighbours that are looked at when a vector gets its links."""
_ROWS_A_CHUNK = 8_192
_FEW_QUESTIONS = 1_000
"""So few are encoded sooner than their vectors would be kept for the case of an interruption."""


class Stopped(Exception):
    """The work is given up because other work failed or the user said so."""


class SegmentBuilder:
    """Builds the new segments of one shard; `look` is called now and then, and may raise `Stopped`."""

    def __init__(
        self,
        folder: IndexFolder,
        encoder: Encoder,
        texts: PairTexts,
        keys: Keys,
        old: Sequence[Segment],
        old_rows: Sequence[Rows],
        look: Callable[[], None],
    ) -> None:
        self.n_encoded = 0
        self._folder = folder
        self._encoder = encoder
        self._texts = texts
        self._keys = keys
        self._old = old
        self._look = look
        self._lock = threading.Lock()
        # Which old segment has a row's vector, and where in it.
        self._segment_of = np.full(len(keys), -1, np.int32)
        self._place_of = np.full(len(keys), -1, np.int32)
        for number, rows in enumerate(old_rows):
            live = np.flatnonzero(rows >= 0)
            self._segment_of[rows[live]] = number
            self._place_of[rows[live]] = live

    def build(self, new: NewSegment, advance: Callable[[int], None], *, rebuild: bool) -> SegmentManifest:
        """Write a segment, unless an interrupted build has left it."""
        keys = self._keys[new.rows]
        name = _segment_name(self._encoder, new.kind, keys)
        found = None if rebuild else self._folder.finished_segment(name)
        if found:
            advance(len(keys))
            return found
        # HNSW built by several threads comes out differently every time. This holds for the thread that calls it.
        faiss.omp_set_num_threads(1)
        index = _empty_index(self._encoder.dimensions, new.kind)
        total = VectorSum()
        chunks = [new.rows[start : start + _ROWS_A_CHUNK] for start in range(0, len(keys), _ROWS_A_CHUNK)]
        with ThreadPoolExecutor(1) as ahead:
            coming = ahead.submit(self._vectors, chunks[0]) if chunks else None
            for number, chunk in enumerate(chunks):
                vectors = coming.result() if coming else self._vectors(chunk)
                # The next questions are encoded while these vectors are added.
                coming = ahead.submit(self._vectors, chunks[number + 1]) if number + 1 < len(chunks) else None
                index.add(vectors.astype(np.float32))
                total.add(self._keys[chunk], vectors)
                self._look()
                advance(len(chunk))
        manifest = SegmentManifest(
            name=name,
            kind=new.kind,
            rows=len(keys),
            vectors_sha256=self._folder.keep(self._folder.vectors, lambda path: save_vectors(path, index)),
            ids_sha256=self._folder.keep(self._folder.ids, lambda path: save_npy(path, keys)),
            vector_sum=total.digits(),
        )
        self._unfinished.mkdir(exist_ok=True)
        write_atomically(self._folder.note(name), manifest.model_dump_json())
        return manifest

    def _vectors(self, rows: Rows) -> Vectors:
        """Return the vectors of these rows: old ones where there are, and the other questions encoded."""
        vectors = np.empty((len(rows), self._encoder.dimensions), np.int8)
        segments = self._segment_of[rows]
        for number in np.unique(segments[segments >= 0]):
            places = np.flatnonzero(segments == number)
            vectors[places] = self._old[number].vectors(self._place_of[rows[places]])
        missing = np.flatnonzero(segments < 0)
        if len(missing):
            vectors[missing] = self._encoded(rows[missing])
        return vectors

    def _encoded(self, rows: Rows) -> Vectors:
        """Encode the questions of these rows, or find their vectors among what an interrupted build has left."""
        self._look()
        asked = _digest(self._encoder.digest.encode(), self._keys[rows].tobytes())
        if len(rows) > _FEW_QUESTIONS and (kept := self._kept(asked, len(rows))) is not None:
            return kept
        vectors = self._encoder.encode(self._texts.column("question", rows))
        with self._lock:
            self.n_encoded += len(rows)
        if len(rows) > _FEW_QUESTIONS:
            self._unfinished.mkdir(exist_ok=True)
            file = self._unfinished / f"{asked}.{_digest(vectors.tobytes())}.npy"
            save_npy(file.with_suffix(".partial"), vectors)
            file.with_suffix(".partial").replace(file)
        return vectors

    def _kept(self, asked: str, n_rows: int) -> Vectors | None:
        """Return vectors that an interrupted build has left, if they are what it wrote."""
        for file in self._unfinished.glob(f"{asked}.*.npy"):
            try:
                found: Vectors = np.load(file, allow_pickle=False)
            except (OSError, ValueError):
                continue
            is_whole = found.shape == (n_rows, self._encoder.dimensions) and found.dtype == np.int8
            if is_whole and file.name == f"{asked}.{_digest(found.tobytes())}.npy":
                return found
        return None

    @property
    def _unfinished(self) -> Path:
        return self._folder.path / UNFINISHED

    def clear(self) -> None:
        """Forget the vectors that were kept for the case of an interruption."""
        if self._unfinished.exists():
            for file in self._unfinished.iterdir():
                file.unlink(missing_ok=True)
            self._unfinished.rmdir()


def _segment_name(encoder: Encoder, kind: Kind, keys: Keys) -> str:
    links = settings().hnsw_links if kind == "hnsw" else 0
    return _digest(f"{encoder.digest} {kind} {links}".encode(), keys.tobytes())


def _digest(*parts: bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
    return total.hexdigest()[:32]


def _empty_index(dimensions: int, kind: Kind) -> Any:
    if kind == "flat":
        index = faiss.IndexScalarQuantizer(dimensions, SIGNED_BYTES, faiss.METRIC_INNER_PRODUCT)
    else:
        index = faiss.IndexHNSWSQ(dimensions, SIGNED_BYTES, settings().hnsw_links, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = _WIDTH
    index.train(np.zeros((1, dimensions), np.float32))
    return index
