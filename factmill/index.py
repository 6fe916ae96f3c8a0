"""Indexing: bringing the index of a shard up to date with the corpus, at the cost of what changed.

The look-up is written anew, which tells where the pairs of the old segments stand now. Segments that still serve stay
as they are; new ones take the vectors they can from old ones, and only the other questions are encoded.

The old index serves until the new one is whole.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
from filelock import FileLock, Timeout

from factmill.corpus import Corpus
from factmill.corpus_version import CorpusVersion
from factmill.encoders import Encoder
from factmill.errors import ConfigError, IndexFileError
from factmill.full_disk import is_full_disk
from factmill.home import Home
from factmill.index_files import LOCK, MANIFEST, IndexFolder, Segment, save_npy
from factmill.index_manifest import IndexManifest, SegmentManifest, ServedSegment
from factmill.names import ShardName
from factmill.pair_texts import Keys, PairTexts, Rows, places_of, write_texts
from factmill.segment_builder import SegmentBuilder, Stopped
from factmill.segment_plan import Plan, Sizes, plan_segments
from factmill.settings import settings
from factmill.vector_sum import VectorSum

_ROWS_A_CHUNK = 8_192
_SECONDS_BETWEEN_LOOKS = 0.5


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

    def update(self, shard: ShardName, *, rebuild: bool = False, check: bool = False) -> IndexedShard:
        """Bring a shard's index up to date; from nothing if told to rebuild.

        To check means to read all files of the index again, and to build what is damaged.
        """
        folder = IndexFolder.of(self._home, self._encoder.name, shard)
        try:
            found = None if rebuild else self._current(folder, self._corpus, check=check)
            if found:
                return found
            folder.path.mkdir(parents=True, exist_ok=True)
            # One builder at a time; who waited finds the work done.
            with self._locked(folder):
                corpus = self._newest(folder)
                found = None if rebuild else self._current(folder, corpus, check=check)
                return found or self._build(folder, corpus, rebuild)
        except OSError as error:
            if is_full_disk(error):
                raise ConfigError(
                    f"the disk of {folder.path} is full. The old index still serves; make room and run"
                    " `factmill index` again: it goes on where it stopped."
                ) from error
            raise ConfigError(f"cannot write the index to {folder.path}: {error.strerror or error}.") from error

    def _current(self, folder: IndexFolder, corpus: CorpusVersion, *, check: bool = False) -> IndexedShard | None:
        manifest = folder.current(self._encoder, _corpus_digest(corpus, folder.shard), check=check)
        if manifest is None:
            return None
        self._advance(manifest.rows)
        return IndexedShard(manifest.rows, 0, 0)

    @contextmanager
    def _locked(self, folder: IndexFolder) -> Iterator[None]:
        lock = FileLock(folder.path / LOCK)
        while True:
            self._look()
            try:
                # In steps, or Ctrl-C would have to wait for the other builder.
                lock.acquire(timeout=_SECONDS_BETWEEN_LOOKS)
                break
            except Timeout:
                continue
        try:
            yield
        finally:
            lock.release()

    def _newest(self, folder: IndexFolder) -> CorpusVersion:
        """Return our version of the corpus, or the latest one if another builder has indexed a newer one meanwhile."""
        try:
            manifest = folder.manifest()
        except IndexFileError:
            return self._corpus
        is_newer = manifest is not None and manifest.corpus_version > (self._corpus.number or 0)
        return Corpus(self._home).latest() if is_newer else self._corpus

    def _build(self, folder: IndexFolder, corpus: CorpusVersion, rebuild: bool) -> IndexedShard:
        shard = folder.shard
        keys_of: list[Keys] = []
        texts_sha256 = folder.keep(
            folder.texts, lambda file: keys_of.append(write_texts(corpus, shard, file, self._look))
        )
        keys = keys_of[0]
        old = [] if rebuild else self._old_segments(folder)
        rows = _first_places([places_of(segment.keys, keys) for segment in old], len(keys))
        plan = plan_segments([one.manifest.kind for one in old], rows, len(keys), _sizes())
        builder = SegmentBuilder(
            folder, self._encoder, PairTexts.open(folder.texts(texts_sha256)), keys, old, rows, self._look
        )
        self._advance(len(keys) - sum(len(new.rows) for new in plan.new))
        built = self._built(builder, plan, rebuild)
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
                corpus_digest=_corpus_digest(corpus, shard),
                corpus_version=corpus.number or 0,
                rows=len(keys),
                digest=_live_digest([(old[number], rows[number]) for number in plan.kept], built),
                texts_sha256=texts_sha256,
                segments=tuple(_serve(folder, segment, places) for segment, places in served),
            )
        )
        builder.clear()
        return IndexedShard(len(keys), builder.n_encoded, len(built))

    def _built(self, builder: SegmentBuilder, plan: Plan, rebuild: bool) -> list[SegmentManifest]:
        futures: list[Future[SegmentManifest]] = [
            self._segments.submit(builder.build, new, self._advance, rebuild=rebuild) for new in plan.new
        ]
        try:
            return [future.result() for future in futures]
        except BaseException:
            self._stop.set()
            raise

    def _old_segments(self, folder: IndexFolder) -> list[Segment]:
        """Return the segments of the index that is served, if this encoder made them; none that is damaged."""
        try:
            manifest = folder.manifest()
        except IndexFileError:
            return []
        if manifest is None or manifest.encoder_digest != self._encoder.digest:
            return []
        found = []
        for served in manifest.segments:
            # What cannot be read is built anew.
            with suppress(IndexFileError, FileNotFoundError):
                found.append(Segment(folder, served.segment, manifest.dimensions))
        return found

    def _look(self) -> None:
        if self._stop.is_set():
            raise Stopped


def clear_dropped(home: Home, encoder: str, corpus: CorpusVersion) -> None:
    """Take away the indexes of shards that the corpus no longer has."""
    present = corpus.shards()
    for file in sorted(home.index(encoder).glob(f"*/*/{MANIFEST}")):
        folder = IndexFolder.at(file.parent)
        with suppress(IndexFileError, OSError):
            manifest = folder.manifest() if folder and folder.shard not in present else None
            # A run that came later may know of shards that we do not.
            if folder and manifest and manifest.corpus_version <= (corpus.number or 0):
                folder.clear()


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


def _serve(folder: IndexFolder, segment: SegmentManifest, rows: Rows) -> ServedSegment:
    sha256 = folder.keep(folder.rows, lambda path: save_npy(path, rows))
    return ServedSegment(segment=segment, live=int(np.count_nonzero(rows >= 0)), rows_sha256=sha256)


def _corpus_digest(corpus: CorpusVersion, shard: ShardName) -> str:
    return corpus.digest(shard) or "0" * 15


def _sizes() -> Sizes:
    return Sizes(settings().flat_rows, settings().segment_rows)
