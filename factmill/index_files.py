"""The files of an index shard. What is in them is trusted only if its digest is the one in the manifest.

    index/<encoder>/<source>/<predicate>/
      manifest.json           replaced in one step; names all others by their digests
      <digest>.faiss          vectors, flat or HNSW: inner product over signed bytes
      <digest>.ids.npy        the key of each vector's pair (see pair_texts.py)
      <digest>.rows.npy       where each vector's pair stands in the look-up; -1 if it is retired
      <digest>.texts.arrow    the look-up
      unfinished/             of a build that was interrupted: vectors, and which segments are whole

A file is named after its content, so a reader of the old manifest never sees a new file, and a build that is repeated
elsewhere or by other versions of the libraries never writes over what is served.
"""

import errno
import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import faiss
import numpy as np
import numpy.lib.format as form
import numpy.typing as npt
import pyarrow as pa
from pydantic import ValidationError

from factmill.encoders import Encoder, Vectors
from factmill.errors import ConfigError, IndexFileError
from factmill.full_disk import is_full_disk
from factmill.home import Home, write_atomically
from factmill.index_manifest import IndexManifest, SegmentManifest, ServedSegment, is_older
from factmill.known_files import KnownFiles, digest_of
from factmill.names import ShardName
from factmill.pair_texts import Keys, PairTexts, Rows

MANIFEST = "manifest.json"
LOCK = ".lock"
UNFINISHED = "unfinished"
SIGNED_BYTES = faiss.ScalarQuantizer.QT_8bit_direct_signed
_CODE_OF_ZERO = 128
_NAME_DIGITS = 32
_OURS = re.compile(r"[0-9a-f.]+\.(faiss|ids\.npy|rows\.npy|texts\.arrow)|\..+\.partial")

T = TypeVar("T")


@dataclass(frozen=True)
class IndexFolder:
    """The place of one shard's index."""

    path: Path
    shard: ShardName

    @classmethod
    def of(cls, home: Home, encoder: str, shard: ShardName) -> "IndexFolder":
        """Return the folder of a shard, which need not exist."""
        return cls(home.index(encoder) / shard.source / shard.folder, shard)

    @classmethod
    def at(cls, path: Path) -> "IndexFolder | None":
        """Return what lies at a place, if its manifest tells of which shard it is."""
        try:
            told = json.loads((path / MANIFEST).read_bytes())
            shard = ShardName.parse(str(told["shard"]))
        except (OSError, ValueError, RecursionError, KeyError, TypeError, ConfigError):
            return None
        return cls(path, shard) if path.parts[-2:] == (shard.source, shard.folder) else None

    def clear(self) -> None:
        """Take all our files away, the manifest first."""
        for name in (MANIFEST, *(file.name for file in self.path.iterdir() if _OURS.fullmatch(file.name)), LOCK):
            (self.path / name).unlink(missing_ok=True)
        with suppress(OSError):
            self.path.rmdir()

    def manifest(self) -> IndexManifest | None:
        """Read the manifest; None where the shard was never indexed, or by another version of factmill."""
        try:
            text = (self.path / MANIFEST).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self.damaged(f"its manifest cannot be read ({error.strerror})") from error
        try:
            found = IndexManifest.model_validate_json(text)
        except ValidationError as error:
            if is_older(text):
                return None
            raise self.damaged("its manifest cannot be read") from error
        if found.shard != str(self.shard):
            raise self.damaged(f"its manifest is of {found.shard}")
        return found

    def is_empty(self) -> bool:
        """Tell whether there is no index of this version of factmill."""
        return self.manifest() is None

    def current(self, encoder: Encoder, corpus_digest: str, *, check: bool = False) -> IndexManifest | None:
        """Return the manifest if this encoder made the index from these rows and its files are there.

        To check means to read all of each file, instead of trusting those that were read before.
        """
        try:
            manifest = self.manifest()
        except IndexFileError:
            return None
        if manifest is None or (manifest.encoder_digest, manifest.corpus_digest) != (encoder.digest, corpus_digest):
            return None
        if check:
            self.known.forget()
        try:
            is_whole = all(
                self.known.sha256(file) == sha256 if check else file.exists()
                for file, sha256 in self.files(manifest).items()
            )
        except OSError:
            return None
        return manifest if is_whole else None

    def files(self, manifest: IndexManifest) -> dict[Path, str]:
        """Return all files that a manifest names, with their digests."""
        named = {self.texts(manifest.texts_sha256): manifest.texts_sha256}
        for served in manifest.segments:
            segment = served.segment
            named[self.vectors(segment.vectors_sha256)] = segment.vectors_sha256
            named[self.ids(segment.ids_sha256)] = segment.ids_sha256
            named[self.rows(served.rows_sha256)] = served.rows_sha256
        return named

    def vectors(self, sha256: str) -> Path:
        """Return the file of a segment's vectors."""
        return self.path / f"{sha256[:_NAME_DIGITS]}.faiss"

    def ids(self, sha256: str) -> Path:
        """Return the file of a segment's keys."""
        return self.path / f"{sha256[:_NAME_DIGITS]}.ids.npy"

    def rows(self, sha256: str) -> Path:
        """Return the file that says where a segment's pairs stand in the look-up."""
        return self.path / f"{sha256[:_NAME_DIGITS]}.rows.npy"

    def texts(self, sha256: str) -> Path:
        """Return the look-up."""
        return self.path / f"{sha256[:_NAME_DIGITS]}.texts.arrow"

    def note(self, segment: str) -> Path:
        """Return the file that says that a segment is whole."""
        return self.path / UNFINISHED / f"{segment}.json"

    @cached_property
    def known(self) -> KnownFiles:
        """Return what is known of the files' digests."""
        return KnownFiles(self.path)

    def keep(self, name: Callable[[str], Path], write: Callable[[Path], object]) -> str:
        """Let a file be written and name it after its content; return its SHA-256."""
        temporary = self.path / f".{uuid4().hex}.partial"
        try:
            write(temporary)
            sha256 = digest_of(temporary)
            temporary.replace(name(sha256))
        finally:
            temporary.unlink(missing_ok=True)
        return sha256

    def finished_segment(self, name: str) -> SegmentManifest | None:
        """Return a segment that is whole, if it is there."""
        try:
            found = SegmentManifest.model_validate_json(self.note(name).read_bytes())
            digests = (digest_of(self.vectors(found.vectors_sha256)), digest_of(self.ids(found.ids_sha256)))
        except (OSError, ValidationError):
            return None
        return found if (found.name, *digests) == (name, found.vectors_sha256, found.ids_sha256) else None

    def publish(self, manifest: IndexManifest) -> None:
        """Make a manifest the one that is served, and clear away our files that it does not name."""
        write_atomically(self.path / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
        kept = self.files(manifest)
        for old in self.path.iterdir():
            if old not in kept and _OURS.fullmatch(old.name) and old.is_file():
                old.unlink(missing_ok=True)

    def damaged(self, why: str) -> IndexFileError:
        """Return the error that tells the user what to do."""
        return IndexFileError(
            f"the index of {self.shard} in {self.path} is damaged: {why}. Run `factmill index --check`."
        )

    def read(self, file: Path, sha256: str, reader: Callable[[Path], T]) -> T:
        """Read a file if it is the one that was written. If it is gone, that is a FileNotFoundError."""
        try:
            if self.known.sha256(file) != sha256:
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
        self.index: Any = folder.read(folder.vectors(manifest.vectors_sha256), manifest.vectors_sha256, _read_faiss)
        self.keys: Keys = folder.read(folder.ids(manifest.ids_sha256), manifest.ids_sha256, _read_npy)
        wanted = faiss.IndexHNSWSQ if manifest.kind == "hnsw" else faiss.IndexScalarQuantizer
        found = (type(self.index), self.index.ntotal, self.index.d, self.index.metric_type)
        if found != (wanted, manifest.rows, dimensions, faiss.METRIC_INNER_PRODUCT):
            raise folder.damaged(f"the vectors of segment {name} are other than its manifest says")
        if self.keys.shape != (manifest.rows, 3) or self.keys.dtype != np.uint64:
            raise folder.damaged(f"the ids of segment {name} are others than its manifest says")
        self._storage = faiss.downcast_index(self.index.storage) if manifest.kind == "hnsw" else self.index
        if self._storage.sq.qtype != SIGNED_BYTES or self._storage.codes.size() != manifest.rows * dimensions:
            raise folder.damaged(f"the vectors of segment {name} are other than its manifest says")
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
    file = folder.rows(served.rows_sha256)
    rows: Rows = folder.read(file, served.rows_sha256, _read_npy)
    is_sound = rows.shape == (served.segment.rows,) and rows.dtype == np.int32
    if not is_sound or (len(rows) and (rows.max() >= manifest.rows or rows.min() < -1)):
        raise folder.damaged(f"{file.name} holds other rows than its manifest says")
    if np.count_nonzero(rows >= 0) != served.live:
        raise folder.damaged(f"{file.name} holds other live rows than its manifest says")
    return rows


def read_texts(folder: IndexFolder, manifest: IndexManifest) -> PairTexts:
    """Map the look-up."""
    file = folder.texts(manifest.texts_sha256)
    texts: PairTexts = folder.read(file, manifest.texts_sha256, PairTexts.open)
    if len(texts) != manifest.rows:
        raise folder.damaged(f"{file.name} holds other pairs than its manifest says")
    return texts


def save_vectors(path: Path, index: Any) -> None:
    """Write a FAISS index."""
    try:
        faiss.write_index(index, str(path))
    except RuntimeError as error:
        raise OSError(errno.ENOSPC if is_full_disk(error) else errno.EIO, str(error)) from error


def save_npy(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an array."""
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
