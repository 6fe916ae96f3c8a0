"""JSONL: the lines of one shard after the other in ASCII, and a manifest beside them.

The manifest tells which lines are whose. It lies beside the file, so vectors that PAQ's tools make belong into another
folder: they take every file there for vectors.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from factmill.errors import ConfigError
from factmill.export.chosen import ChosenPairs
from factmill.export.exported import Exported, Part, manifest_text
from factmill.export.files import NewFile, new_files
from factmill.names import ShardName

_SUFFIXES = (".jsonl", ".jsonl.gz")


class Block(NamedTuple):
    """The lines of some pairs: for each file that a format has, all of its lines."""

    n_pairs: int
    lines: Sequence[list[str]]


class LineFormat(Protocol):
    """How pairs become lines."""

    @property
    def name(self) -> str:
        """What the format is called."""

    @property
    def beside(self) -> Sequence[str]:
        """Words in the names of further files."""

    def blocks(self, pairs: ChosenPairs, shard: ShardName) -> Iterator[Block]:
        """Yield the lines of a shard."""

    def figures(self) -> Mapping[str, int]:
        """Return what was counted meanwhile."""

    def origin(self) -> Mapping[str, Any]:
        """Return what else shaped the lines, for the manifest."""


def export_lines(form: LineFormat, pairs: ChosenPairs, path: Path) -> Exported:
    """Write the pairs in a format."""
    stem, suffix = _split(path)
    paths = [path, *(path.with_name(f"{stem}.{word}{suffix}") for word in form.beside)]
    manifest = path.with_name(f"{stem}.manifest.json")
    with new_files(*paths, manifest) as (*files, note):
        parts: list[Part] = []
        for shard in pairs.digests:
            part = _write_shard(form, pairs, shard, files, parts[-1].last if parts else 0)
            if part.n_pairs:
                parts.append(part)
        if not parts:
            raise pairs.nothing()
        for file in files:
            file.close()
        n_lines = parts[-1].last
        listed = [{"name": file.path.name, "n_lines": n_lines, "sha256": file.sha256} for file in files]
        note.write(manifest_text(form.name, pairs, listed, parts, **form.origin()).encode())
    n_pairs = sum(part.n_pairs for part in parts)
    return Exported(form.name, path, manifest, n_pairs, n_lines, pairs.left_out, dict(form.figures()))


def _write_shard(form: LineFormat, pairs: ChosenPairs, shard: ShardName, files: Sequence[NewFile], first: int) -> Part:
    digest = hashlib.sha256()
    n_pairs = n_lines = 0
    for block in form.blocks(pairs, shard):
        for file, lines in zip(files, block.lines, strict=True):
            data = "".join(lines).encode("ascii")
            file.write(data)
            if file is files[0]:
                digest.update(data)
        n_pairs += block.n_pairs
        n_lines += len(block.lines[0])
    return Part(shard, first, first + n_lines, n_pairs, digest.hexdigest(), pairs.digests[shard])


def _split(path: Path) -> tuple[str, str]:
    for suffix in _SUFFIXES:
        if path.name.endswith(suffix) and path.name != suffix:
            return path.name.removesuffix(suffix), suffix
    raise ConfigError(f"{path}: name a file that ends with .jsonl or .jsonl.gz. Readers go by that.")
