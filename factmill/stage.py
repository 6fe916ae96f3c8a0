"""Staging: what a source reads becomes a sorted snapshot that every later step reads.

Raw batches are written to a scratch folder, sorted there by DuckDB, and the whole folder is renamed into place when it
is complete. An interruption at any moment leaves what was staged before.
"""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Protocol, cast

import pyarrow.parquet as pq

from factmill.dumpfile import file_digest
from factmill.errors import ConfigError, SourceFormatError
from factmill.facts import Batch, IdSpace, SourceInfo
from factmill.home import Home
from factmill.manifest import MANIFEST_FILE, Manifest, Stage, snapshot_name
from factmill.names import ShardName
from factmill.progress import progress
from factmill.project import load_source
from factmill.rejects import Rejects
from factmill.warehouse import Warehouse


class Reader(Protocol):
    """What a source gives to be staged: batches, and afterwards what else it saw."""

    lines: int
    ignored: Counter[str]
    as_of: date | None

    def __iter__(self) -> Iterator[Batch]: ...


@dataclass(frozen=True)
class Input:
    """The input of a snapshot. An endpoint has no digest: what it answers is known when it has answered."""

    name: str
    n_bytes: int = 0
    sha256: str | None = None

    @classmethod
    def of_file(cls, path: Path) -> "Input":
        """Identify a file by its content."""
        digest = file_digest(path)
        return cls(path.name, path.stat().st_size, digest)

    @classmethod
    def of_files(cls, folder: Path, files: Sequence[Path]) -> "Input":
        """Identify a set of files by their names and content."""
        listing = "".join(f"{path.name} {file_digest(path)}\n" for path in sorted(files))
        digest = hashlib.sha256(listing.encode()).hexdigest()
        return cls(folder.name, sum(path.stat().st_size for path in files), digest)


@dataclass(frozen=True)
class StageResult:
    """A snapshot, and whether it had to be made."""

    stage: Stage
    is_new: bool
    rejects: Path | None = None


def stage_wikidata(home: Home, dump: Path, lang: str) -> StageResult:
    """Stage a truthy dump."""
    source = load_source("wikidata")
    return stage(home, source.INFO, Input.of_file(dump), lang, lambda rejects: source.DumpReader(dump, lang, rejects))


def stage_dbpedia(home: Home, url: str, predicates: Sequence[ShardName], lang: str) -> StageResult:
    """Stage some predicates from a SPARQL endpoint."""
    source = load_source("dbpedia")

    def open_reader(rejects: Rejects) -> Reader:
        return cast(Reader, source.EndpointReader(source.Endpoint(url), predicates, lang, rejects))

    return stage(home, source.INFO, Input(url), lang, open_reader)


def stage_imdb(home: Home, folder: Path, lang: str) -> StageResult:
    """Stage a folder of IMDb's data sets."""
    source = load_source("imdb")
    files = source.find_files(folder)
    with home.scratch() as scratch:
        found = Input.of_files(folder, list(files.values()))
        return stage(home, source.INFO, found, lang, lambda rejects: source.FolderReader(files, rejects, scratch))


def stage(
    home: Home, info: SourceInfo, source_input: Input, lang: str, open_reader: Callable[[Rejects], Reader]
) -> StageResult:
    """Bring the snapshot of this input into the home, unless it is there already."""
    started = time.monotonic()
    if source_input.sha256 and (done := _staged_before(home, info, source_input.sha256, lang)):
        return done
    with home.scratch() as scratch, Rejects(home, f"stage-{info.name}") as rejects:
        reader = open_reader(rejects)
        facts_by_kind = _write_raw(reader, info.ids, scratch, source_input)
        if not facts_by_kind:
            raise SourceFormatError(
                f"{source_input.name} holds no facts in its {reader.lines:,} lines. Nothing was staged;"
                f" is this the right input for {info.name}?"
            )
        whole = scratch / "snapshot"
        n_facts, n_entities = _sort(info.ids, scratch, whole)
        digest = source_input.sha256 or _content_digest(scratch, whole)
        if done := _staged_before(home, info, digest, lang):
            return done
        folder = home.staged(info.name) / snapshot_name(digest, lang)
        manifest = Manifest(
            source=info.name,
            snapshot=folder.name,
            ids=info.ids,
            input=source_input.name,
            input_bytes=source_input.n_bytes,
            input_sha256=digest,
            lang=lang,
            licence=info.licence,
            as_of=reader.as_of,
            lines=reader.lines,
            facts=n_facts,
            facts_by_kind=dict(sorted(facts_by_kind.items())),
            entities=n_entities,
            ignored=dict(sorted(reader.ignored.items())),
            rejected=dict(sorted(rejects.counts.items())),
            staged_at=datetime.now(UTC),
            seconds=round(time.monotonic() - started, 3),
        )
        (whole / MANIFEST_FILE).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
        new = _publish(home, whole, folder)
        return StageResult(new, is_new=True, rejects=rejects.file)


def _staged_before(home: Home, info: SourceInfo, digest: str, lang: str) -> StageResult | None:
    folder = home.staged(info.name) / snapshot_name(digest, lang)
    if not (folder / MANIFEST_FILE).exists():
        return None
    done = Stage(folder)
    done.make_current(home)
    return StageResult(done, is_new=False)


def _content_digest(scratch: Path, whole: Path) -> str:
    """Return a digest of the rows, for inputs that have none themselves."""
    total = hashlib.sha256()
    with Warehouse(scratch) as warehouse:
        for table in ("facts", "entities"):
            warehouse.view("rows", whole / f"{table}.parquet")
            for batch in warehouse.query("select sha256(to_json(rows)::varchar) as digest from rows").to_batches():
                total.update("".join(batch["digest"].to_pylist()).encode())
    return total.hexdigest()


def _write_raw(reader: Reader, ids: IdSpace, scratch: Path, source_input: Input) -> Counter[str]:
    """Write the batches as they come and count the facts by kind."""
    facts_by_kind: Counter[str] = Counter()
    schemas = {"facts": ids.fact_schema(), "about": ids.about_schema()}
    bytes_done = 0
    with ExitStack() as stack:
        writers = {
            table: stack.enter_context(pq.ParquetWriter(scratch / f"{table}.parquet", schema))
            for table, schema in schemas.items()
        }
        advance = stack.enter_context(progress(f"staging {source_input.name}", source_input.n_bytes, "bytes"))
        for batch in reader:
            writers[batch.table].write_batch(batch.rows)
            if batch.table == "facts":
                facts_by_kind.update(batch.rows.column("kind").to_pylist())
            advance(batch.bytes_read - bytes_done)
            bytes_done = batch.bytes_read
    return facts_by_kind


def _sort(ids: IdSpace, scratch: Path, whole: Path) -> tuple[int, int]:
    """Sort the raw batches into a snapshot folder; return the number of facts and of entities."""
    whole.mkdir()
    with Warehouse(scratch) as warehouse:
        warehouse.use_ids(ids)
        warehouse.view("raw_facts", scratch / "facts.parquet")
        warehouse.view("raw_about", scratch / "about.parquet")
        warehouse.run("staged_facts")
        warehouse.run("staged_entities")
        n_facts = warehouse.copy_to_parquet("staged_facts", whole / "facts.parquet")
        n_entities = warehouse.copy_to_parquet("staged_entities", whole / "entities.parquet")
    return n_facts, n_entities


def _publish(home: Home, whole: Path, folder: Path) -> Stage:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        os.rename(whole, folder)
    except OSError as error:
        # Another run staged the same input meanwhile: its content is the same, so either will do.
        if not (folder / MANIFEST_FILE).exists():
            raise ConfigError(f"cannot write to {folder.parent}: {error.strerror}. Nothing was staged.") from error
    new = Stage(folder)
    new.make_current(home)
    return new
