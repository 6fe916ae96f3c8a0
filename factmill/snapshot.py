"""Snapshots: what a source reads becomes a folder that every later step reads.

An input is read window by window into parts (factmill/parts.py) in a folder of its own (factmill/workplace.py), which
is renamed when it is complete. An interruption at any moment leaves what was staged before, and the finished parts.
"""

import hashlib
import os
import platform
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from operator import add
from pathlib import Path

import pyarrow.parquet as pq

from factmill.entities import write_entities
from factmill.errors import ConfigError, SourceFormatError, SourceIncomplete
from factmill.fact_table import FactTable, write_facts
from factmill.facts import SourceInfo
from factmill.home import Home
from factmill.identity import FileState, file_digest
from factmill.inputs import write_inputs
from factmill.manifest import MANIFEST_FILE, Manifest, Scope, Stage, is_current, names_of, snapshot_name
from factmill.names import ShardName
from factmill.parts import NOT_ASKED, NOT_ASKED_TITLE, Part, PartsFolder, PartSource, tidy
from factmill.rejects import run_name
from factmill.side_by_side import read_parts
from factmill.warehouse import Warehouse
from factmill.workplace import workplace

__all__ = ["Input", "StageResult", "stage"]

_ENDPOINT_MAX_AGE_SECONDS = 24 * 3600
_SAID_BEFORE = "a fact that is said elsewhere too"


@dataclass(frozen=True)
class Input:
    """The input of a snapshot. An endpoint has no digest: what it answers is known when it has answered."""

    name: str
    n_bytes: int = 0
    sha256: str | None = None
    asked: str = ""
    """What is asked of an endpoint, so that an interrupted run is continued only by one that asks the same."""
    unit: str = "bytes"
    """What progress is counted in."""
    second: str | None = None
    """Name of the second file, if there is one."""
    files: tuple[tuple[Path, FileState | None], ...] = ()

    @classmethod
    def of_file(cls, path: Path) -> "Input":
        """Identify a file by its content."""
        state = FileState.of(path)
        digest = file_digest(path)
        return cls(path.name, path.stat().st_size, digest, files=((path, state),))

    @classmethod
    def of_endpoint(cls, url: str, asked: str) -> "Input":
        """Identify an endpoint by its address and what it is asked."""
        return cls(url, asked=asked, unit="rows")

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return where the files lie."""
        return tuple(path for path, _ in self.files)

    @property
    def identity(self) -> str:
        """Return a digest of the content, or of the question where the content is not known before."""
        return self.sha256 or hashlib.sha256(f"{self.name}\n{self.asked}".encode()).hexdigest()

    def with_second(self, path: Path) -> "Input":
        """Return this file and a second one that belongs to it."""
        other = Input.of_file(path)
        both = hashlib.sha256(f"{self.sha256} {other.sha256}".encode()).hexdigest()
        return Input(self.name, self.n_bytes + other.n_bytes, both, second=other.name, files=self.files + other.files)

    def check_unchanged(self) -> None:
        """Make sure that the files are still those that were identified: windows of two files do not go together."""
        for path, state in self.files:
            if FileState.of(path) != state:
                raise SourceIncomplete(f"{path} changed while it was read. Nothing was staged; run it again.")

    @classmethod
    def of_files(cls, name: str, files: Sequence[Path]) -> "Input":
        """Identify a set of files by their names and content."""
        states = tuple((path, FileState.of(path)) for path in sorted(files))
        # By name and content, whichever folders they are in.
        listing = "".join(sorted(f"{path.name} {file_digest(path)}\n" for path, _ in states))
        digest = hashlib.sha256(listing.encode()).hexdigest()
        return cls(name, sum(path.stat().st_size for path in files), digest, files=states)


@dataclass(frozen=True)
class StageResult:
    """A snapshot, and whether it had to be made."""

    stage: Stage
    is_new: bool
    rejects: Path | None = None
    n_windows: int = 0
    n_windows_before: int = 0
    """Windows that an interrupted run had finished."""
    was_current: bool = False
    """Whether it was in use already."""


def stage(
    home: Home,
    info: SourceInfo,
    source_input: Input,
    scope: Scope,
    windows: Sequence[PartSource],
    workers: int = 1,
    cuts: str = "",
) -> StageResult:
    """Bring the snapshot of this input into the home, unless it is there already.

    `cuts` tells these windows from others of the same input: their parts do not go together.
    """
    started = time.monotonic()
    if source_input.sha256 and (done := _staged_before(home, info, source_input.sha256, scope)):
        # It may lie elsewhere by now.
        write_inputs(done.stage.folder, source_input.paths)
        return done
    with _place_for(home, info, source_input, scope) as folder:
        if source_input.sha256 and (done := _staged_before(home, info, source_input.sha256, scope)):
            # Another process has finished it since we looked.
            return done
        parts = PartsFolder(folder, info.ids, cuts)
        n_before = parts.count_finished()
        total = reduce(add, read_parts(parts, windows, source_input.name, workers, source_input.unit), Part())
        source_input.check_unchanged()
        _check_that_there_are_facts(total, info, source_input, scope)
        with home.scratch() as scratch:
            total, n_entities = _put_together(parts, info, scope, total, scratch)
            digest = source_input.sha256 or _content_digest(folder, scratch)
        if done := _staged_before(home, info, digest, scope):
            return done
        seconds = round(time.monotonic() - started, 3)
        manifest = _manifest(info, source_input, digest, scope, total, n_entities, seconds)
        (folder / MANIFEST_FILE).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
        write_inputs(folder, source_input.paths)
        rejects = _keep_rejects(home, folder, info)
        return StageResult(_publish(home, folder, manifest), True, rejects, len(windows), n_before)


def _manifest(
    info: SourceInfo, source_input: Input, digest: str, scope: Scope, total: Part, n_entities: int, seconds: float
) -> Manifest:
    return Manifest(
        source=info.name,
        snapshot=snapshot_name(digest, scope),
        ids=info.ids,
        input=source_input.name,
        input_bytes=source_input.n_bytes,
        input_sha256=digest,
        lang=scope.lang,
        second_input=source_input.second,
        only=names_of(scope.only),
        qualified=names_of(scope.qualified),
        min_votes=scope.min_votes,
        questions=sorted(set(scope.questions), key=lambda file: (file.name, file.sha256)),
        titles=sorted(set(scope.titles)),
        licence=info.licence,
        as_of=total.as_of,
        lines=total.lines,
        names=total.names,
        qualified_facts=total.qualified_facts,
        qualified_lines=total.qualified_lines,
        facts=total.facts_by_kind.total(),
        facts_by_kind=dict(sorted(total.facts_by_kind.items())),
        entities=n_entities,
        ignored=dict(sorted(total.ignored.items())),
        rejected=dict(sorted(total.rejected.items())),
        figures=total.figures,
        staged_at=datetime.now(UTC),
        seconds=seconds,
        machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    )


def _check_that_there_are_facts(total: Part, info: SourceInfo, source_input: Input, scope: Scope) -> None:
    if total.facts_by_kind:
        return
    if total.ignored[NOT_ASKED] or total.ignored[NOT_ASKED_TITLE]:
        asked = ", ".join(map(str, scope.only)) or "the titles that were asked for"
        raise SourceFormatError(f"{source_input.name} holds no facts of {asked}. Nothing was staged.")
    what = f"no facts in its {total.lines:,} lines"
    if total.lines and total.lines == total.rejected.total():
        what = f"nothing that can be read: all of its {total.lines:,} lines were refused"
    raise SourceFormatError(
        f"{source_input.name} holds {what}. Nothing was staged; is this the right input for {info.name}?"
    )


def _staged_before(home: Home, info: SourceInfo, digest: str, scope: Scope) -> StageResult | None:
    folder = home.staged(info.name) / snapshot_name(digest, scope)
    if not (folder / MANIFEST_FILE).exists():
        return None
    done = Stage(folder)
    # A run that was killed may have given it its name and nothing more.
    tidy(folder)
    was_current = is_current(home, done)
    done.make_current(home)
    return StageResult(done, is_new=False, was_current=was_current)


def _place_for(home: Home, info: SourceInfo, source_input: Input, scope: Scope) -> AbstractContextManager[Path]:
    """Give the folder in which this snapshot is made. It stays after an interruption."""
    name = snapshot_name(source_input.identity, scope)
    max_age_seconds = None if source_input.sha256 else _ENDPOINT_MAX_AGE_SECONDS
    return workplace(home, info.name, name, source_input.name, max_age_seconds=max_age_seconds)


def _put_together(parts: PartsFolder, info: SourceInfo, scope: Scope, total: Part, scratch: Path) -> tuple[Part, int]:
    """Make the tables of the snapshot from its parts; return what became of its lines, and the number of entities."""
    if info.gives_finished:
        return total, sum(pq.read_metadata(file).num_rows for file in parts.files("entities"))
    about, pointers = parts.files("about"), parts.files("pointers")
    if not info.is_dump:
        facts = write_facts(parts, info.ids, scratch)
        total = _with_each_fact_once(total, facts, scope)
        pointers = [facts.occurrences]
    return total, write_entities(about, pointers, parts.folder / "entities", info.ids, scratch)


def _with_each_fact_once(total: Part, facts: FactTable, scope: Scope) -> Part:
    """Count what was said before as ignored, and tell which predicates nothing says anything of."""
    ignored = Counter({_SAID_BEFORE: total.facts_by_kind.total() - facts.n_by_kind.total()})
    asked = {shard.predicate for shard in scope.only if isinstance(shard, ShardName)}
    ignored.update({f"{predicate} has no facts": 1 for predicate in asked - facts.predicates})
    return total.model_copy(update={"facts_by_kind": facts.n_by_kind, "ignored": total.ignored + ignored})


def _content_digest(folder: Path, scratch: Path) -> str:
    """Return a digest of the rows, for inputs that have none themselves."""
    total = hashlib.sha256()
    with Warehouse(scratch) as warehouse:
        for table in ("facts", "entities"):
            warehouse.view("rows", *sorted((folder / table).glob("*.parquet")))
            for batch in warehouse.query("select sha256(to_json(rows)::varchar) as digest from rows").to_batches():
                total.update("".join(batch["digest"].to_pylist()).encode())
    return total.hexdigest()


def _keep_rejects(home: Home, folder: Path, info: SourceInfo) -> Path | None:
    """Put what the parts refused into one file of the home."""
    found = sorted((folder / "rejects").glob("*.jsonl"))
    if not found:
        return None
    target = home.rejects(run_name(f"stage-{info.name}"))
    target.parent.mkdir(exist_ok=True)
    with (folder / "rejects.jsonl").open("wb") as whole:
        for file in found:
            with file.open("rb") as part:
                shutil.copyfileobj(part, whole)
    os.replace(folder / "rejects.jsonl", target)
    return target


def _publish(home: Home, folder: Path, manifest: Manifest) -> Stage:
    """Give the snapshot its name; from then on it is there."""
    target = home.staged(manifest.source) / manifest.snapshot
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(folder, target)
    except OSError as error:
        # Another run staged the same input meanwhile: its content is the same, so either will do.
        if not (target / MANIFEST_FILE).exists():
            raise ConfigError(f"cannot write to {target.parent}: {error.strerror}. Nothing was staged.") from error
    tidy(target)
    new = Stage(target)
    new.make_current(home)
    return new
