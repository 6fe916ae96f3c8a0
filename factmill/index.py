"""Indexing: bringing the index of a shard up to date with the corpus, at the cost of what changed.

The look-up is written anew, which tells where the pairs of the old segments stand now. Segments that still serve stay
as they are; new ones take the vectors they can from old ones, and only the other questions are encoded.

The old index serves until the new one is whole. A build that was interrupted has left whole segments and vectors, which
the next one takes.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import faiss
import numpy as np
from filelock import FileLock

from factmill.corpus_version import CorpusVersion
from factmill.encoders import Encoder, Vectors
from factmill.errors import ConfigError, IndexFileError
from factmill.full_disk import is_full_disk
from factmill.home import Home
from factmill.index_files import (
    LOCK,
    SIGNED_BYTES,
    UNFINISHED,
    IndexFolder,
    IndexManifest,
    Kind,
    Segment,
    SegmentManifest,
    ServedSegment,
    write_npy,
    write_vectors,
    write_whole,
)
from factmill.names import ShardName
from factmill.pair_texts import Keys, PairTexts, Rows, places_of, write_texts
from factmill.segment_plan import NewSegment, Plan, Sizes, plan_segments
from factmill.settings import settings
from factmill.vector_sum import VectorSum

HNSW_EF = 128
_ROWS_A_CHUNK = 8_192
_FEW_QUESTIONS = 1_000
"""So few are encoded sooner than their vectors would be kept for the case of an interruption."""


class Stopped(Exception):
    """The work is given up because other work failed or the user said so."""


@dataclass(frozen=True)
class IndexedShard:
    """What bringing a shard up to date took."""

    n_rows: int
    n_encoded: int
    n_new_segments: int


class Indexer:
    """Builds with one encoder; `advance` is told of pairs that are done, from any thread."""

    def __init__(
        self, home: Home, encoder: Encoder, corpus: CorpusVersion, advance: Callable[[int], None] = lambda _: None
    ) -> None:
        self._home = home
        self._encoder = encoder
        self._corpus = corpus
        self._advance = advance
        self._stop = threading.Event()
        self._segments = ThreadPoolExecutor(settings().n_threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._segments.shutdown(cancel_futures=kind is not None)

    def stop(self) -> None:
        """Let all work end soon, as an error in its midst does."""
        self._stop.set()

    def update(self, shard: ShardName, *, rebuild: bool = False) -> IndexedShard:
        """Bring a shard's index up to date; from nothing if told to rebuild."""
        folder = IndexFolder.of(self._home, self._encoder.name, shard)
        digest = self._corpus.digest(shard) or "0" * 15
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
            # One builder at a time; who waited finds the work done.
            with FileLock(folder.path / LOCK):
                manifest = None if rebuild else folder.current(self._encoder, digest)
                if manifest:
                    self._advance(manifest.rows)
                    return IndexedShard(manifest.rows, 0, 0)
                return self._build(folder, digest, rebuild)
        except OSError as error:
            if is_full_disk(error):
                raise ConfigError(
                    f"the disk of {folder.path} is full. The old index still serves; make room and run"
                    " `factmill index` again: it goes on where it stopped."
                ) from error
            raise ConfigError(f"cannot write the index to {folder.path}: {error.strerror or error}.") from error

    def _build(self, folder: IndexFolder, digest: str, rebuild: bool) -> IndexedShard:
        shard = folder.shard
        keys_of: list[Keys] = []
        texts_sha256 = write_whole(
            folder.texts(digest), lambda file: keys_of.append(write_texts(self._corpus, shard, file, self._look))
        )
        keys = keys_of[0]
        old = [] if rebuild else self._old_segments(folder)
        rows = _first_places([places_of(segment.keys, keys) for segment in old], len(keys))
        plan = plan_segments([one.manifest.kind for one in old], rows, len(keys), _sizes())
        work = _Work(folder, self._encoder, PairTexts.open(folder.texts(digest)), keys, old, rows, self._look)
        self._advance(len(keys) - sum(len(new.rows) for new in plan.new))
        built = self._built(work, plan, rebuild)
        served = [
            *((old[number].manifest, rows[number]) for number in plan.kept),
            *((segment, new.rows) for segment, new in zip(built, plan.new, strict=True)),
        ]
        folder.publish(
            IndexManifest(
                shard=str(shard),
                encoder=self._encoder.name,
                encoder_digest=self._encoder.digest,
                dimensions=self._encoder.dimensions,
                corpus_digest=digest,
                corpus_version=self._corpus.number or 0,
                rows=len(keys),
                digest=_live_digest([(old[number], rows[number]) for number in plan.kept], built),
                texts_sha256=texts_sha256,
                segments=tuple(_serve(folder, digest, segment, places) for segment, places in served),
            )
        )
        work.clear()
        return IndexedShard(len(keys), work.n_encoded, len(built))

    def _built(self, work: "_Work", plan: Plan, rebuild: bool) -> list[SegmentManifest]:
        futures: list[Future[SegmentManifest]] = [
            self._segments.submit(work.build, new, self._advance, rebuild=rebuild) for new in plan.new
        ]
        try:
            return [future.result() for future in futures]
        except BaseException:
            self._stop.set()
            raise

    def _old_segments(self, folder: IndexFolder) -> list[Segment]:
        """Return the segments of the index that is served, if this encoder made them and they are not damaged."""
        try:
            manifest = folder.manifest()
            if manifest is None or manifest.encoder_digest != self._encoder.digest:
                return []
            return [Segment(folder, served.segment, manifest.dimensions) for served in manifest.segments]
        except (IndexFileError, FileNotFoundError):
            # What cannot be read is built anew.
            return []

    def _look(self) -> None:
        if self._stop.is_set():
            raise Stopped


class _Work:
    """The new segments of one shard."""

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
            vectors_sha256=write_vectors(self._folder.vectors(name), index),
            ids_sha256=write_npy(self._folder.ids(name), keys),
            vector_sum=total.digits(),
        )
        write_whole(self._folder.note(name), lambda path: path.write_text(manifest.model_dump_json(), "utf-8"))
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
            write_npy(self._unfinished / f"{asked}.{_digest(vectors.tobytes())}.npy", vectors)
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


def _first_places(rows: list[Rows], n_pairs: int) -> list[Rows]:
    """Let a pair that several segments hold be live in the first of them only."""
    seen = np.zeros(n_pairs, np.bool_)
    for places in rows:
        live = np.flatnonzero(places >= 0)
        places[live[seen[places[live]]]] = -1
        seen[places[places >= 0]] = True
    return rows


def _live_digest(kept: Sequence[tuple[Segment, Rows]], built: Sequence[SegmentManifest]) -> str:
    """Return the digest of all live pairs; only vectors of retired ones are read for it."""
    total = VectorSum()
    for manifest in (*(segment.manifest for segment, _ in kept), *built):
        total.join(VectorSum(manifest.vector_sum))
    for segment, rows in kept:
        for some in _steps(np.flatnonzero(rows < 0)):
            total.subtract(segment.keys[some], segment.vectors(some))
    return total.digits()


def _steps(rows: Any) -> Iterator[Any]:
    for start in range(0, len(rows), _ROWS_A_CHUNK):
        yield rows[start : start + _ROWS_A_CHUNK]


def _serve(folder: IndexFolder, corpus_digest: str, segment: SegmentManifest, rows: Rows) -> ServedSegment:
    sha256 = write_npy(folder.rows(corpus_digest, segment.name), rows)
    return ServedSegment(segment=segment, live=int((rows >= 0).sum()), rows_sha256=sha256)


def _segment_name(encoder: Encoder, kind: Kind, keys: Keys) -> str:
    links = settings().hnsw_links if kind == "hnsw" else 0
    return _digest(f"{encoder.digest} {kind} {links}".encode(), keys.tobytes())


def _digest(*parts: bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
    return total.hexdigest()[:32]


def _sizes() -> Sizes:
    return Sizes(settings().flat_rows, settings().segment_rows)


def _empty_index(dimensions: int, kind: Kind) -> Any:
    if kind == "flat":
        index = faiss.IndexScalarQuantizer(dimensions, SIGNED_BYTES, faiss.METRIC_INNER_PRODUCT)
    else:
        index = faiss.IndexHNSWSQ(dimensions, SIGNED_BYTES, settings().hnsw_links, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = index.hnsw.efSearch = HNSW_EF
    index.train(np.zeros((1, dimensions), np.float32))
    return index
