"""The index: the vectors of one shard in a FAISS file, with a manifest that says what they were made from.

    index/minilm/wikidata/P175/manifest.json    names the two files and their digests; replaced in one step
    index/minilm/wikidata/P175/<digest>.faiss   the vectors, flat or HNSW, inner product over signed bytes
    index/minilm/wikidata/P175/<digest>.ids.npy one row a vector: qa_id in two halves, and a hash of the question

FAISS trusts what it reads, so a file's digest is checked before FAISS sees it. Small shards are searched exactly.
"""

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import faiss
import numpy as np
import numpy.typing as npt
from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from factmill.corpus_version import CorpusVersion
from factmill.encoders import Encoder, Vectors
from factmill.errors import ConfigError, IndexFileError
from factmill.home import Home, write_atomically
from factmill.minilm import DIMENSIONS
from factmill.names import ShardName
from factmill.ranking import NOTHING, Ranking
from factmill.settings import settings

INDEX_FORMAT = 1
_HNSW_LINKS = 32
_HNSW_EF = 128
_TIES = 8
_READ_ATTEMPTS = 20
_MANIFEST = "manifest.json"
_LOCK = ".lock"

Ids = npt.NDArray[np.uint64]


class IndexManifest(BaseModel):
    """What an index shard was made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = INDEX_FORMAT
    shard: str
    encoder: str
    encoder_digest: str
    corpus_digest: str
    rows: int
    kind: Literal["flat", "hnsw"]
    vectors_sha256: str
    ids_sha256: str


@dataclass(frozen=True)
class IndexFolder:
    """The place of one shard's index."""

    path: Path
    shard: ShardName

    @classmethod
    def of(cls, home: Home, encoder: str, shard: ShardName) -> "IndexFolder":
        """Return the folder of a shard, which need not exist."""
        return cls(home.index(encoder) / shard.source / shard.folder, shard)

    def manifest(self) -> IndexManifest | None:
        """Read the manifest; None where the shard was never indexed."""
        try:
            text = (self.path / _MANIFEST).read_bytes()
        except FileNotFoundError:
            return None
        try:
            return IndexManifest.model_validate_json(text)
        except ValidationError as error:
            raise self.damaged("its manifest cannot be read") from error

    def is_current(self, encoder: Encoder, corpus_digest: str) -> bool:
        """Tell whether the index was made by this encoder from these rows, and its files are there."""
        try:
            manifest = self.manifest()
        except IndexFileError:
            return False
        return (
            manifest is not None
            and (manifest.format, manifest.encoder_digest) == (INDEX_FORMAT, encoder.digest)
            and manifest.corpus_digest == corpus_digest
            and all(file.exists() for file in self.files(manifest))
        )

    def files(self, manifest: IndexManifest) -> tuple[Path, Path]:
        """Return the files of vectors and of ids."""
        # Named after their content, so that a reader of the old manifest never sees the new file.
        return (
            self.path / f"{_checked_hex(manifest.vectors_sha256)[:16]}.faiss",
            self.path / f"{_checked_hex(manifest.ids_sha256)[:16]}.ids.npy",
        )

    def damaged(self, why: str) -> IndexFileError:
        """Return the error that tells the user what to do."""
        return IndexFileError(
            f"the index of {self.shard} in {self.path} is damaged: {why}. Run `factmill index --rebuild`."
        )


def build(home: Home, encoder: Encoder, corpus: CorpusVersion, shard: ShardName) -> IndexManifest:
    """Index one shard; the old index serves until the new one is whole."""
    rows = corpus.rows(shard, ("qa_id", "question"))
    questions = rows["question"].to_pylist()
    kind: Literal["flat", "hnsw"] = "flat" if rows.num_rows <= settings().flat_rows else "hnsw"
    id_bytes = _npy(_id_rows(rows["qa_id"].to_pylist(), questions))
    vector_bytes = faiss.serialize_index(_faiss_index(encoder.encode(questions), kind)).tobytes()
    manifest = IndexManifest(
        shard=str(shard),
        encoder=encoder.name,
        encoder_digest=encoder.digest,
        corpus_digest=corpus.digest(shard) or "",
        rows=rows.num_rows,
        kind=kind,
        vectors_sha256=hashlib.sha256(vector_bytes).hexdigest(),
        ids_sha256=hashlib.sha256(id_bytes).hexdigest(),
    )
    _publish(IndexFolder.of(home, encoder.name, shard), manifest, vector_bytes, id_bytes)
    return manifest


def refresh(home: Home, encoder: Encoder, corpus: CorpusVersion, shard: ShardName) -> bool:
    """Take an index over to rows that differ only in what is not encoded, such as places; tell whether that was so."""
    folder = IndexFolder.of(home, encoder.name, shard)
    try:
        old = folder.manifest()
    except IndexFileError:
        return False
    if old is None or not folder.is_current(encoder, old.corpus_digest):
        return False
    rows = corpus.rows(shard, ("qa_id", "question"))
    ids = _npy(_id_rows(rows["qa_id"].to_pylist(), rows["question"].to_pylist()))
    if hashlib.sha256(ids).hexdigest() != old.ids_sha256:
        return False
    new = old.model_copy(update={"corpus_digest": corpus.digest(shard) or ""})
    with FileLock(folder.path / _LOCK):
        write_atomically(folder.path / _MANIFEST, new.model_dump_json(indent=2) + "\n")
    return True


def _publish(folder: IndexFolder, manifest: IndexManifest, vector_bytes: bytes, id_bytes: bytes) -> None:
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
        # One publisher at a time: each clears away what the one before it left.
        with FileLock(folder.path / _LOCK):
            files = folder.files(manifest)
            for file, content in zip(files, (vector_bytes, id_bytes), strict=True):
                _write_whole(file, content)
            write_atomically(folder.path / _MANIFEST, manifest.model_dump_json(indent=2) + "\n")
            for old in folder.path.iterdir():
                if old not in files and old.name not in (_MANIFEST, _LOCK):
                    old.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot write the index to {folder.path}: {error.strerror}.") from error


def _write_whole(file: Path, content: bytes) -> None:
    temporary = file.with_suffix(".partial")
    temporary.write_bytes(content)
    temporary.rename(file)


class IndexShard:
    """The index of one shard in memory, restricted to the rows of the corpus version it serves."""

    def __init__(self, folder: IndexFolder, encoder: Encoder, corpus: CorpusVersion) -> None:
        self.shard = folder.shard
        manifest, self._index, self._ids = _load(folder, encoder)
        self.is_stale = manifest.corpus_digest != corpus.digest(folder.shard)
        self._live = self._live_rows(corpus) if self.is_stale else None

    def search(self, queries: Vectors, k: int, number: int) -> Ranking:
        """Return the best k pairs of the shard for each query; the shard goes by this number in the ranking.

        All pairs that tie with the last one are fetched before the cut, or chance would decide between them.
        """
        n_rows = len(self._ids) if self._live is None else int(self._live.sum())
        if n_rows == 0:
            return Ranking.empty(len(queries), k)
        scores, rows = self._top(queries, min(k + _TIES, n_rows))
        while rows.shape[1] < n_rows and bool((scores[:, -1] == scores[:, min(k, scores.shape[1]) - 1]).any()):
            scores, rows = self._top(queries, min(2 * rows.shape[1], n_rows))
        order = np.lexsort((rows, -scores.astype(np.int64)), axis=1)[:, :k]
        scores, rows = np.take_along_axis(scores, order, axis=1), np.take_along_axis(rows, order, axis=1)
        missing = max(0, k - scores.shape[1])
        scores = np.pad(scores, ((0, 0), (0, missing)), constant_values=NOTHING)
        rows = np.pad(rows, ((0, 0), (0, missing)))
        found = self._ids[np.maximum(rows, 0)]
        shards, unmarked = np.full(scores.shape, number, np.int16), np.zeros(scores.shape, np.bool_)
        return Ranking(scores, shards, found[..., 0], found[..., 1], unmarked)

    def _top(self, queries: Vectors, k: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        parameters = None
        if self._live is not None:
            selector = faiss.IDSelectorBitmap(np.packbits(self._live, bitorder="little"))
            if isinstance(self._index, faiss.IndexHNSW):
                # Rows that are gone take up places in the search: the fewer live, the wider it must be.
                width = int(_HNSW_EF / max(float(self._live.mean()), 0.01))
                parameters = faiss.SearchParametersHNSW(sel=selector, efSearch=width)
            else:
                parameters = faiss.SearchParameters(sel=selector)
        scores, rows = self._index.search(queries.astype(np.float32), k, params=parameters)
        return np.where(rows < 0, NOTHING, scores).astype(np.int32), rows

    def _live_rows(self, corpus: CorpusVersion) -> npt.NDArray[np.bool_]:
        """Mark the rows whose pair still stands in the corpus with the same question."""
        rows = corpus.rows(self.shard, ("qa_id", "question"))
        live = _id_rows(rows["qa_id"].to_pylist(), rows["question"].to_pylist())
        kind = [("high", np.uint64), ("low", np.uint64), ("question", np.uint64)]
        return np.isin(self._ids.view(kind)[:, 0], live.view(kind)[:, 0])


def _faiss_index(vectors: Vectors, kind: Literal["flat", "hnsw"]) -> Any:
    signed_bytes = faiss.ScalarQuantizer.QT_8bit_direct_signed
    if kind == "flat":
        index = faiss.IndexScalarQuantizer(DIMENSIONS, signed_bytes, faiss.METRIC_INNER_PRODUCT)
    else:
        index = faiss.IndexHNSWSQ(DIMENSIONS, signed_bytes, _HNSW_LINKS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = index.hnsw.efSearch = _HNSW_EF
    # HNSW built by several threads comes out differently every time.
    faiss.omp_set_num_threads(1)
    try:
        index.train(np.zeros((1, DIMENSIONS), np.float32))
        if len(vectors):
            index.add(vectors.astype(np.float32))
    finally:
        faiss.omp_set_num_threads(settings().n_threads)
    return index


def _id_rows(qa_ids: list[str], questions: list[str]) -> Ids:
    ids = np.frombuffer(bytes.fromhex("".join(qa_ids)), ">u8").astype(np.uint64).reshape(-1, 2)
    hashes = b"".join(hashlib.sha256(question.encode()).digest()[:8] for question in questions)
    return np.ascontiguousarray(np.column_stack([ids, np.frombuffer(hashes, ">u8").astype(np.uint64)]))


def _npy(ids: Ids) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, ids, allow_pickle=False)
    return buffer.getvalue()


def _load(folder: IndexFolder, encoder: Encoder) -> tuple[IndexManifest, Any, Ids]:
    """Read an index; look again if another run publishes a new one meanwhile and clears ours away."""
    for attempt in range(_READ_ATTEMPTS):
        manifest = folder.manifest()
        if manifest is None:
            raise IndexFileError(f"{folder.shard} is not indexed. Run `factmill index`.")
        if (manifest.format, manifest.encoder_digest) != (INDEX_FORMAT, encoder.digest):
            raise IndexFileError(
                f"the index of {folder.shard} was made by another encoder or version ({manifest.encoder}"
                f" {manifest.encoder_digest}). Run `factmill index`."
            )
        vectors, ids = folder.files(manifest)
        try:
            return manifest, _read_faiss(folder, vectors, manifest), _read_ids(folder, ids, manifest)
        except FileNotFoundError as error:
            if attempt == _READ_ATTEMPTS - 1:
                raise folder.damaged(f"{error.filename} is missing") from error
    raise AssertionError("unreachable")


def _read_checked(folder: IndexFolder, file: Path, sha256: str) -> bytes:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise folder.damaged(f"{file.name} cannot be read") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise folder.damaged(f"{file.name} is not the file that was written")
    return content


def _read_faiss(folder: IndexFolder, file: Path, manifest: IndexManifest) -> Any:
    content = _read_checked(folder, file, manifest.vectors_sha256)
    try:
        index = faiss.deserialize_index(np.frombuffer(content, np.uint8))
    except RuntimeError as error:
        raise folder.damaged("FAISS cannot read it") from error
    if (index.ntotal, index.d) != (manifest.rows, DIMENSIONS):
        raise folder.damaged("it holds other vectors than its manifest says")
    return index


def _read_ids(folder: IndexFolder, file: Path, manifest: IndexManifest) -> Ids:
    ids: Ids = np.load(io.BytesIO(_read_checked(folder, file, manifest.ids_sha256)), allow_pickle=False)
    if ids.shape != (manifest.rows, 3) or ids.dtype != np.uint64:
        raise folder.damaged("it holds other ids than its manifest says")
    return ids


def _checked_hex(text: str) -> str:
    if len(text) != 64 or not set(text) <= set("0123456789abcdef"):
        raise IndexFileError("an index manifest holds something that is no digest. Run `factmill index --rebuild`.")
    return text
