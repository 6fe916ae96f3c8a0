"""A Hugging Face data set: a folder of Parquet files with a data card, one configuration a source.

The columns are the corpus' own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.errors import ConfigError
from factmill.export.card import Source, card
from factmill.export.chosen import ChosenPairs
from factmill.export.exported import Exported, manifest_text
from factmill.export.files import new_folder
from factmill.identity import digest_of
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA

_ROWS_A_GROUP = 100_000
_GROUPS_A_FILE = 20
MANIFEST = "manifest.json"


def export_hf(pairs: ChosenPairs, folder: Path) -> Exported:
    """Write the pairs as a data set that `datasets.load_dataset` reads."""
    sources: dict[str, Source] = {}
    files: list[dict[str, Any]] = []
    shards: list[dict[str, Any]] = []
    with new_folder(folder) as unfinished:
        for shard in pairs.digests:
            source = sources.setdefault(shard.source, Source(shard.source))
            written = list(_write_shard(pairs, shard, unfinished, source))
            if written:
                files += written
                n_pairs = sum(file["n_pairs"] for file in written)
                shards.append({"shard": shard, "n_pairs": n_pairs, "corpus_digest": pairs.digests[shard]})
        if not files:
            raise pairs.nothing()
        held = [source for source in sources.values() if source.n_pairs]
        (unfinished / "README.md").write_text(card(held, PAIR_SCHEMA.names), encoding="utf-8")
        (unfinished / MANIFEST).write_text(manifest_text("hf", pairs, files, shards), encoding="utf-8")
    n_pairs = sum(source.n_pairs for source in held)
    return Exported("hf", folder, folder / MANIFEST, n_pairs, n_pairs, pairs.left_out)


def _write_shard(pairs: ChosenPairs, shard: ShardName, folder: Path, source: Source) -> Iterator[dict[str, Any]]:
    """Write the files of a shard, tell the source what is in them and yield what the manifest says of each."""
    groups = pairs.batches(shard, PAIR_SCHEMA.names, rows_a_batch=_ROWS_A_GROUP)
    for number, some in enumerate(_several(groups, _GROUPS_A_FILE)):
        name = f"{source.folder}/{shard.folder}-{number:05}.parquet"
        n_pairs = 0
        (folder / source.folder).mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(folder / name, PAIR_SCHEMA, compression="zstd") as writer:
            for group in some:
                writer.write_batch(group)
                source.add(shard, group)
                n_pairs += len(group)
        yield {"name": name, "n_pairs": n_pairs, "sha256": digest_of(folder / name, "sha256")}


def _several(groups: Iterator[pa.RecordBatch], n_groups: int) -> Iterator[Iterator[pa.RecordBatch]]:
    """Yield the groups in runs of some; each run must be read before the next."""
    for first in groups:
        yield _run(first, groups, n_groups)


def _run(first: pa.RecordBatch, groups: Iterator[pa.RecordBatch], n_groups: int) -> Iterator[pa.RecordBatch]:
    yield first
    for _ in range(n_groups - 1):
        if (group := next(groups, None)) is None:
            return
        yield group


def check_folder(path: Path) -> None:
    """Refuse a name that is meant for a file."""
    if path.suffix in (".jsonl", ".gz", ".parquet"):
        raise ConfigError(f"{path}: --format hf writes a folder. Name one, such as corpus.")
