"""Staging a source: from what the user names to windows that can be read."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast

from factmill.dumpfile import Packing
from factmill.fetch_record import check_as_fetched
from factmill.home import Home
from factmill.identity import check_digest
from factmill.manifest import Scope
from factmill.names import PropertyId, ShardName
from factmill.parts import PartSource, Reader
from factmill.progress import Advance
from factmill.project import load_source
from factmill.rejects import Rejects
from factmill.settings import settings
from factmill.snapshot import Input, StageResult, stage
from factmill.windows import find_windows

__all__ = ["StageResult", "stage_dbpedia", "stage_imdb", "stage_wikidata"]


def stage_wikidata(
    home: Home,
    dump: Path,
    lang: str,
    *,
    only: Sequence[PropertyId] = (),
    second: Path | None = None,
    qualified: Sequence[PropertyId] = (),
    workers: int = 1,
    checksum: str | None = None,
) -> StageResult:
    """Stage a truthy dump, or only some properties of it; a checksum that is given must be the file's.

    A second file, the full RDF dump or a CSV file, adds sitelinks, titles, and statements with qualifiers of some
    properties.
    """
    source = load_source("wikidata")
    scope = Scope(lang, tuple(only), tuple(qualified))
    found = Input.of_file(dump)
    if checksum:
        check_digest(dump, checksum)
    check_as_fetched(dump, found.n_bytes, found.sha256 or "")
    cuts = find_windows(dump, settings().window_bytes)
    read = partial(source.WindowReader, dump, lang=lang, only=only, max_expansion=settings().max_expansion)
    windows = [PartSource(partial(read, cut), cut.end - cut.start) for cut in cuts]
    if second:
        found = found.with_second(second)
        # Looked at before the dump is read, not after.
        Packing.of(second)
        # First, because it cannot be cut into windows: so it takes longest, and if it is wrong that is known soon.
        opened = partial(source.SecondReader, second, qualified=qualified, max_expansion=settings().max_expansion)
        windows.insert(0, PartSource(opened, second.stat().st_size))
    starts = " ".join(str(cut.start) for cut in cuts)
    return stage(home, source.INFO, found, scope, windows, workers, starts)


def stage_dbpedia(home: Home, url: str, predicates: Sequence[ShardName], lang: str) -> StageResult:
    """Stage some predicates from a SPARQL endpoint."""
    source = load_source("dbpedia")

    def open_reader(rejects: Rejects, advance: Advance) -> Reader:
        return cast(Reader, source.EndpointReader(source.Endpoint(url), predicates, lang, rejects))

    return stage(home, source.INFO, Input(url), Scope(lang), [PartSource(open_reader)])


def stage_imdb(home: Home, folder: Path, lang: str) -> StageResult:
    """Stage a folder of IMDb's data sets."""
    source = load_source("imdb")
    files = source.find_files(folder)
    with home.scratch() as scratch:

        def open_reader(rejects: Rejects, advance: Advance) -> Reader:
            return cast(Reader, source.FolderReader(files, rejects, scratch))

        found = Input.of_files(folder.name, list(files.values()))
        return stage(home, source.INFO, found, Scope(lang), [PartSource(open_reader)])
