"""The files of an index shard. What is in them is trusted only if its digest is the one in the manifest.

    index/<encoder>/<source>/<predicate>/
      manifest.json                    replaced in one step; names all others and their digests
      <segment>.faiss                  vectors, flat or HNSW: inner product over signed bytes
      <segment>.ids.npy                the key of each vector's pair (see pair_texts.py)
      <segment>.json                   written last: the segment is whole
      <corpus>.<segment>.rows.npy      where each vector's pair stands in the look-up; -1 if it is retired
      <corpus>.texts.arrow             the look-up
      unfinished/                      vectors of a build that was interrupted

A segment is named after what goes into it, the others after the digest of the corpus' shard, so that a reader of the
old manifest never sees a new file.
"""

import errno
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import faiss
import numpy as np
import numpy.lib.format as form
import numpy.typing as npt
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from factmill.encoders import Encoder, Vectors
from factmill.errors import IndexFileError
from factmill.full_disk import is_full_disk
from factmill.home import Home, write_atomically
from factmill.names import ShardName
from factmill.pair_texts import Keys, PairTexts, Rows

INDEX_FORMAT = 2
MANIFEST = "manifest.json"
LOCK = ".lock"
UNFINISHED = "unfinished"
SIGNED_BYTES = faiss.ScalarQuantizer.QT_8bit_direct_signed
_CODE_OF_ZERO = 128

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Kind = Literal["flat", "hnsw"]
M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


class SegmentManifest(BaseModel):
    """What a segment holds; `vector_sum` is of all its pairs, live or not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    kind: Kind
    rows: int = Field(ge=0)
    vectors_sha256: Digest
    ids_sha256: Digest
    vector_sum: Name


class ServedSegment(BaseModel):
    """A segment and what of it is live."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    segment: SegmentManifest
    live: int = Field(ge=0)
    rows_sha256: Digest


class IndexManifest(BaseModel):
    """What an index shard was made from. `digest` is of the live pairs and their vectors, however they lie."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = INDEX_FORMAT
    shard: str
    encoder: str
    encoder_digest: str
    dimensions: int = Field(ge=1)
    corpus_digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{15}$")]
    corpus_version: int
    rows: int = Field(ge=0)
    digest: Name
    texts_sha256: Digest
    segments: tuple[ServedSegment, ...]


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
        """Read the manifest; None where the shard was never indexed, or by another version of factmill."""
        try:
            text = (self.path / MANIFEST).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self.damaged(f"its manifest cannot be read ({error.strerror})") from error
        try:
            return IndexManifest.model_validate_json(text)
        except ValidationError as error:
            if _is_older(text):
                return None
            raise self.damaged("its manifest cannot be read") from error

    def current(self, encoder: Encoder, corpus_digest: str) -> IndexManifest | None:
        """Return the manifest if this encoder made the index from these rows and its files are there."""
        try:
            manifest = self.manifest()
        except IndexFileError:
            return None
        if manifest is None or (manifest.encoder_digest, manifest.corpus_digest) != (encoder.digest, corpus_digest):
            return None
        return manifest if all(file.exists() for file in self.files(manifest)) else None

    def files(self, manifest: IndexManifest) -> list[Path]:
        """Return all files that a manifest names."""
        named = [self.texts(manifest.corpus_digest)]
        for served in manifest.segments:
            name = served.segment.name
            named += [self.vectors(name), self.ids(name), self.note(name), self.rows(manifest.corpus_digest, name)]
        return named

    def vectors(self, segment: str) -> Path:
        """Return the file of a segment's vectors."""
        return self.path / f"{segment}.faiss"

    def ids(self, segment: str) -> Path:
        """Return the file of a segment's keys."""
        return self.path / f"{segment}.ids.npy"

    def note(self, segment: str) -> Path:
        """Return the file that says that a segment is whole."""
        return self.path / f"{segment}.json"

    def rows(self, corpus_digest: str, segment: str) -> Path:
        """Return the file that says where a segment's pairs stand in the look-up."""
        return self.path / f"{corpus_digest}.{segment}.rows.npy"

    def texts(self, corpus_digest: str) -> Path:
        """Return the look-up."""
        return self.path / f"{corpus_digest}.texts.arrow"

    def finished_segment(self, name: str) -> SegmentManifest | None:
        """Return a segment that is whole, if it is there."""
        try:
            found = SegmentManifest.model_validate_json(self.note(name).read_bytes())
            digests = (digest_of(self.vectors(name)), digest_of(self.ids(name)))
        except (OSError, ValidationError):
            return None
        return found if (found.name, *digests) == (name, found.vectors_sha256, found.ids_sha256) else None

    def publish(self, manifest: IndexManifest) -> None:
        """Make a manifest the one that is served, and clear away what it does not name."""
        write_atomically(self.path / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
        kept = {*self.files(manifest), self.path / MANIFEST, self.path / LOCK}
        for old in self.path.iterdir():
            if old not in kept and old.is_file():
                old.unlink(missing_ok=True)

    def damaged(self, why: str) -> IndexFileError:
        """Return the error that tells the user what to do."""
        return IndexFileError(
            f"the index of {self.shard} in {self.path} is damaged: {why}. Run `factmill index --rebuild`."
        )

    def read(self, file: Path, sha256: str, reader: Callable[[Path], T]) -> T:
        """Read a file if it is the one that was written. If it is gone, that is a FileNotFoundError."""
        try:
            if digest_of(file) != sha256:
                raise self.damaged(f"{file.name} is not the file that was written")
            return reader(file)
        except FileNotFoundError:
            raise
        except (OSError, RuntimeError, ValueError, pa.ArrowException) as error:
            raise self.damaged(f"{file.name} cannot be read") from error


class Segment:
    """Vectors and the keys of their pairs, mapped from their files."""

    def __init__(self, folder: IndexFolder, manifest: SegmentManifest, dimensions: int) -> None:
        name = manifest.name
        self.manifest = manifest
        self.index: Any = folder.read(folder.vectors(name), manifest.vectors_sha256, _read_faiss)
        self.keys: Keys = folder.read(folder.ids(name), manifest.ids_sha256, _read_npy)
        wanted = faiss.IndexHNSWSQ if manifest.kind == "hnsw" else faiss.IndexScalarQuantizer
        found = (type(self.index), self.index.ntotal, self.index.d, self.index.metric_type)
        if found != (wanted, manifest.rows, dimensions, faiss.METRIC_INNER_PRODUCT):
            raise folder.damaged(f"{name}.faiss holds other vectors than its manifest says")
        if self.keys.shape != (manifest.rows, 3) or self.keys.dtype != np.uint64:
            raise folder.damaged(f"{name}.ids.npy holds other ids than its manifest says")
        self._storage = faiss.downcast_index(self.index.storage) if manifest.kind == "hnsw" else self.index
        if self._storage.sq.qtype != SIGNED_BYTES or self._storage.codes.size() != manifest.rows * dimensions:
            raise folder.damaged(f"{name}.faiss holds other vectors than its manifest says")
        self._dimensions = dimensions

    def __len__(self) -> int:
        return self.manifest.rows

    @property
    def _codes(self) -> npt.NDArray[np.uint8]:
        n_bytes = len(self) * self._dimensions
        codes: npt.NDArray[np.uint8] = faiss.rev_swig_ptr(self._storage.codes.data(), n_bytes)
        return codes.reshape(len(self), self._dimensions)

    def vectors(self, rows: npt.NDArray[np.integer] | slice) -> Vectors:
        """Return some vectors, as they were encoded."""
        # FAISS stores signed bytes with 128 added: that is their highest bit the other way round.
        found: Vectors = (self._codes[rows] ^ np.uint8(_CODE_OF_ZERO)).view(np.int8)
        return found

    def floats(self, rows: npt.NDArray[np.integer] | slice) -> npt.NDArray[np.float32]:
        """Return some vectors as FAISS wants them."""
        found: npt.NDArray[np.float32] = np.subtract(self._codes[rows], np.float32(_CODE_OF_ZERO), dtype=np.float32)
        return found


def read_rows(folder: IndexFolder, served: ServedSegment, manifest: IndexManifest) -> Rows:
    """Read where a segment's pairs stand in the look-up."""
    file = folder.rows(manifest.corpus_digest, served.segment.name)
    rows: Rows = folder.read(file, served.rows_sha256, _read_npy)
    is_sound = rows.shape == (served.segment.rows,) and rows.dtype == np.int32
    if not is_sound or (len(rows) and rows.max() >= manifest.rows):
        raise folder.damaged(f"{file.name} holds other rows than its manifest says")
    return rows


def read_texts(folder: IndexFolder, manifest: IndexManifest) -> PairTexts:
    """Map the look-up."""
    file = folder.texts(manifest.corpus_digest)
    texts: PairTexts = folder.read(file, manifest.texts_sha256, PairTexts.open)
    if len(texts) != manifest.rows:
        raise folder.damaged(f"{file.name} holds other pairs than its manifest says")
    return texts


def _is_older(text: bytes) -> bool:
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and isinstance(found.get("format"), int) and found["format"] < INDEX_FORMAT


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def write_npy(file: Path, array: npt.NDArray[Any]) -> str:
    """Write an array under its final name once it is whole; return the file's SHA-256."""
    return write_whole(file, lambda path: _save(path, array))


def write_whole(file: Path, write: Callable[[Path], object]) -> str:
    """Let a file be written and give it its name once it is whole; return its SHA-256."""
    temporary = file.with_name(f".{file.name}.partial")
    try:
        write(temporary)
        sha256 = digest_of(temporary)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
    return sha256


def write_vectors(file: Path, index: Any) -> str:
    """Write a FAISS index likewise."""
    try:
        return write_whole(file, lambda path: faiss.write_index(index, str(path)))
    except RuntimeError as error:
        raise OSError(errno.ENOSPC if is_full_disk(error) else errno.EIO, str(error)) from error


def _save(path: Path, array: npt.NDArray[Any]) -> None:
    # NumPy's own `save` does not say why it could not write all.
    with path.open("wb") as file:
        form.write_array_header_1_0(file, form.header_data_from_array_1_0(array))
        file.write(np.ascontiguousarray(array).data)


def _read_npy(file: Path) -> Any:
    try:
        # As a plain array: those that know of their file take longer to index.
        return np.asarray(np.load(file, allow_pickle=False, mmap_mode="r"))
    except ValueError:
        # An array without rows cannot be mapped.
        return np.load(file, allow_pickle=False)


def _read_faiss(file: Path) -> Any:
    return faiss.read_index(str(file), faiss.IO_FLAG_MMAP_IFC)
