"""Which pairs of a shard the views hold: a bit a pair, in the order of `qa_id`, beside the corpus.

    views/rows/<source>/<predicate>/<corpus digest>.<view digest>.<checksum>.npy
    views/subjects/<source>/<snapshot>-<view digest>.parquet

A view that goes by questions is a list of subjects, which is kept for the snapshot it was found in. No pair is written
for a view, so it takes no version of the corpus and no new index.
"""

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from factmill.corpus import Corpus
from factmill.corpus_version import CorpusVersion, readable
from factmill.errors import ConfigError
from factmill.full_disk import full_disk_is_said
from factmill.home import Home
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.progress import progress
from factmill.question_links import linked_entities
from factmill.settings import settings
from factmill.views import View, is_milled, questions_of, read_views
from factmill.warehouse import Warehouse

_SMOOTHING = 20.0
"""So many subjects like all others are added to those of each type and popularity."""
_ROW_COLUMNS = ("qa_id", "subject", "popularity", "subject_label", "subject_name")
_SUBJECTS = pa.schema([("subject", pa.string()), ("bits", pa.int64())])
_CHECKSUM_DIGITS = 16

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Viewed:
    """How many pairs of a shard each view holds, and whether anything had to be computed."""

    shard: ShardName
    n_pairs: int
    n_in: dict[str, int]
    is_new: bool


def update_views(home: Home, shards: Sequence[ShardName] | None = None) -> Iterator[Viewed]:
    """Compute the views of some shards, or of all that are milled, where that was not done."""
    corpus = Corpus(home).latest()
    present = corpus.shards()
    if missing := [str(shard) for shard in shards or () if shard not in present or not is_milled(shard)]:
        raise ConfigError(f"the corpus has no milled shard {', '.join(missing)}. See `factmill corpus log`.")
    wanted = list(shards) if shards else [shard for shard in present if is_milled(shard)]
    with full_disk_is_said(home), progress("computing views", len(wanted), "shards") as advance:
        for shard in wanted:
            yield _updated(home, corpus, shard)
            advance(1)


def rows_in_view(home: Home, corpus: CorpusVersion, shard: ShardName, view: View) -> Mask:
    """Tell of each pair of a shard, in the order of `qa_id`, whether a view holds it."""
    found = _kept(_folder(home, shard), corpus.digest(shard) or "", view)
    if found is None:
        raise ConfigError(f"the view {view.name} is not computed for {shard}. Run `factmill views update`.")
    return found


def _updated(home: Home, corpus: CorpusVersion, shard: ShardName) -> Viewed:
    views = read_views(home)
    digest, folder = corpus.digest(shard) or "", _folder(home, shard)
    kept = {view: _kept(folder, digest, view) for view in views}
    masks = {view: mask for view, mask in kept.items() if mask is not None}
    lacking = [view for view in views if view not in masks]
    if lacking:
        bits = _bits(home, corpus, shard, lacking)
        folder.mkdir(parents=True, exist_ok=True)
        for view in lacking:
            masks[view] = bits >> view.bit & 1 == 1
            _keep(folder, digest, view, masks[view])
    _clear(folder, digest, views)
    counts = {view.name: int(np.count_nonzero(masks[view])) for view in views}
    n_pairs = sum(file.n_rows for file in corpus.files(shard))
    return Viewed(shard, n_pairs, counts, bool(lacking))


def _bits(home: Home, corpus: CorpusVersion, shard: ShardName, views: Sequence[View]) -> npt.NDArray[np.int64]:
    """Return the views of each pair as the sum of their bits."""
    corpus.check_whole(shard)
    files = [file.path for file in corpus.files(shard)]
    limits = [{"least": view.least_popularity, "bits": 1 << view.bit} for view in views if view.kind == "popular"]
    label_bits = sum(1 << view.bit for view in views if view.kind == "labels")
    limit_type = pa.list_(pa.struct([("least", pa.int64()), ("bits", pa.int64())]))
    matter = {"limits": pa.array([limits], limit_type), "label_bits": pa.array([label_bits], pa.int64())}
    stage = Stage.current(home, shard.source)
    subjects = [_subjects_file(home, stage, view) for view in views if view.questions_sha256]
    with home.scratch() as scratch, Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        warehouse.load("view_matter", pa.table(matter))
        if subjects:
            warehouse.view("viewed_subjects", *subjects)
        else:
            warehouse.load("viewed_subjects", _SUBJECTS.empty_table())
        warehouse.pairs_view("corpus_rows", _ROW_COLUMNS, [files])
        for name in ("view_subjects", "view_bits"):
            warehouse.run(name)
        with readable(shard):
            parts = [batch["views"].to_numpy() for batch in warehouse.batches("select views from view_bits")]
    return np.concatenate([np.empty(0, np.int64), *parts])


def _subjects_file(home: Home, stage: Stage, view: View) -> Path:
    """Return the file with the subjects of a view, made on first use."""
    folder = home.views / "subjects" / stage.manifest.source
    file = folder / f"{stage.manifest.snapshot}-{view.digest}.parquet"
    if file.exists():
        return file
    linked = linked_entities(home, stage.manifest.source, questions_of(home, view), threshold=view.threshold)
    with home.scratch() as scratch, Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        warehouse.attach(stage)
        warehouse.load("mentioned", linked)
        if view.kind == "learned":
            warehouse.run("learned_subjects", kept_share=view.kept_share, smoothing=_SMOOTHING)
            found = warehouse.query("from learned_subjects order by subject")
        else:
            warehouse.run("linked_subjects")
            found = warehouse.query("from linked_subjects order by subject")
    bits = pa.repeat(pa.scalar(1 << view.bit, pa.int64()), len(found))
    folder.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(f".{os.getpid()}.partial")
    try:
        pq.write_table(pa.table([found["subject"].cast(pa.string()), bits], schema=_SUBJECTS), temporary)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
    return file


def _folder(home: Home, shard: ShardName) -> Path:
    return home.views / "rows" / shard.source / shard.folder


def _keep(folder: Path, corpus_digest: str, view: View, mask: Mask) -> None:
    packed = io.BytesIO()
    np.save(packed, np.append(np.packbits(mask), np.frombuffer(len(mask).to_bytes(8, "little"), np.uint8)))
    content = packed.getvalue()
    file = folder / f"{corpus_digest}.{view.digest}.{_checksum(content)}.npy"
    temporary = file.with_suffix(f".{os.getpid()}.partial")
    try:
        temporary.write_bytes(content)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _kept(folder: Path, corpus_digest: str, view: View) -> Mask | None:
    """Return the rows of a view if they were computed and are what was written."""
    for file in folder.glob(f"{corpus_digest}.{view.digest}.*.npy"):
        content = file.read_bytes()
        if file.name.split(".")[2] == _checksum(content):
            bits = np.load(io.BytesIO(content), allow_pickle=False)
            n_rows = int.from_bytes(bits[-8:].tobytes(), "little")
            return np.unpackbits(bits[:-8], count=n_rows).astype(np.bool_)
    return None


def _clear(folder: Path, corpus_digest: str, views: Sequence[View]) -> None:
    """Take away what is of other rows or of views that were dropped."""
    kept = {(corpus_digest, view.digest) for view in views}
    for file in folder.glob("*.npy"):
        if tuple(file.name.split(".")[:2]) not in kept:
            file.unlink(missing_ok=True)


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_CHECKSUM_DIGITS]
