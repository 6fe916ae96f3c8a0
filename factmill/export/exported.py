"""What an export wrote, and the manifest that says so beside it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factmill import __version__
from factmill.export.chosen import ChosenPairs, LeftOut
from factmill.names import ShardName
from factmill.plain import plain


@dataclass(frozen=True)
class Part:
    """The lines of one shard in an export: from `first` to before `last`, counted from 0."""

    shard: ShardName
    first: int
    last: int
    n_pairs: int
    sha256: str
    """Of the lines, unpacked."""
    corpus_digest: str


@dataclass(frozen=True)
class Exported:
    """What was written, and what was left out and why."""

    format: str
    path: Path
    manifest: Path
    n_pairs: int
    n_lines: int
    left_out: list[LeftOut]
    figures: dict[str, int] = field(default_factory=dict)
    """What else a format counts."""


def manifest_text(
    form: str, pairs: ChosenPairs, files: Sequence[Mapping[str, Any]], shards: Sequence[Any], **more: Any
) -> str:
    """Return the manifest. It holds no clock and no folder, so that equal exports have equal ones."""
    content = {
        "format": form,
        "factmill": __version__,
        "chosen": pairs.choice,
        **more,
        "files": list(files),
        "shards": list(shards),
        "left_out": pairs.left_out,
    }
    return json.dumps(plain(content), indent=2) + "\n"
