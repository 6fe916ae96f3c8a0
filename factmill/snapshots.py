"""The snapshots in a home: which there are, which is in use, and deleting those that nobody needs."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from factmill.errors import ConfigError
from factmill.home import Home
from factmill.manifest import Manifest, Stage, staged_sources
from factmill.workplace import unfinished

_DELETED = ".deleted"


@dataclass(frozen=True)
class Snapshot:
    """A staged snapshot, how much room it takes, and whether later steps read it."""

    folder: Path
    manifest: Manifest
    n_bytes: int
    is_current: bool

    @property
    def scope(self) -> str:
        """Return what of the input was asked for."""
        manifest = self.manifest
        parts = [
            manifest.lang,
            f"only {', '.join(manifest.only)}" if manifest.only else "",
            f"second {manifest.second_input}" if manifest.second_input else "",
            f"qualified {', '.join(manifest.qualified)}" if manifest.qualified else "",
            f"at least {manifest.min_votes:,} votes" if manifest.min_votes is not None else "",
            f"titles in {', '.join(file.name for file in manifest.questions)}" if manifest.questions else "",
            " ".join(manifest.titles),
        ]
        return "; ".join(part for part in parts if part)


def find_snapshots(home: Home, source: str | None = None) -> list[Snapshot]:
    """Return all snapshots of all sources or of one, the newest of a source first."""
    found = []
    for name in [source] if source else staged_sources(home):
        current = Stage.current(home, name).manifest.snapshot
        stages = [stage for folder in _folders(home, name) if (stage := _readable(folder))]
        for stage in sorted(stages, key=lambda stage: stage.manifest.staged_at, reverse=True):
            size = sum(path.stat().st_size for path in stage.folder.rglob("*") if path.is_file())
            found.append(Snapshot(stage.folder, stage.manifest, size, stage.manifest.snapshot == current))
    return found


def unreadable_snapshots(home: Home) -> list[Path]:
    """Return the folders of snapshots that are damaged or of another version of factmill. Nobody deletes them."""
    return [folder for name in staged_sources(home) for folder in _folders(home, name) if not _readable(folder)]


def _folders(home: Home, source: str) -> list[Path]:
    return [path for path in sorted(home.staged(source).iterdir()) if path.is_dir() and not path.suffix]


def _readable(folder: Path) -> Stage | None:
    try:
        return Stage(folder)
    except ConfigError:
        return None


def old_snapshots(home: Home, source: str | None = None, keep: int = 1) -> list[Snapshot]:
    """Return what may be deleted if so many of a source are to stay: the one in use, and then the newest."""
    found = find_snapshots(home, source)
    old = []
    for name in dict.fromkeys(snapshot.manifest.source for snapshot in found):
        others = [each for each in found if each.manifest.source == name and not each.is_current]
        old += others[keep - 1 :]
    return old


def delete_snapshots(home: Home, old: list[Snapshot]) -> None:
    """Delete snapshots, and what is left of deletions that were interrupted."""
    for snapshot in old:
        # Under its name a snapshot is whole or not there.
        os.rename(snapshot.folder, snapshot.folder.with_suffix(_DELETED))
    for left in (home.root / "staged").glob(f"*/*{_DELETED}"):
        shutil.rmtree(left, ignore_errors=True)


def all_unfinished(home: Home) -> list[Path]:
    """Return the folders of all snapshots whose staging was interrupted."""
    parents = sorted(path for path in (home.root / "staged").glob("*") if path.is_dir())
    return [folder for parent in parents for folder in unfinished(home, parent.name)]
