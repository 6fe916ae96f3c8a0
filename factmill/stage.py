"""Staging a source: from what the user names to windows that can be read."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from factmill.dumpfile import Packing
from factmill.errors import ConfigError
from factmill.fetch_record import check_as_fetched
from factmill.home import Home
from factmill.identity import check_digest
from factmill.manifest import QuestionFile, Scope, snapshot_name
from factmill.names import PropertyId, ShardName
from factmill.parts import PAGES, PartSource
from factmill.project import load_source
from factmill.questions import read_questions
from factmill.settings import settings
from factmill.snapshot import Input, StageResult, stage
from factmill.windows import find_windows
from factmill.workplace import workplace_folder

__all__ = ["StageResult", "stage_dbpedia", "stage_dbpedia_files", "stage_imdb", "stage_wikidata"]


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


def stage_dbpedia(
    home: Home,
    url: str,
    predicates: Sequence[ShardName],
    lang: str,
    *,
    abstracts: bool = False,
    wait_seconds: float = 1,
    tell: Callable[[str], None] = lambda _: None,
) -> StageResult:
    """Stage some predicates from a SPARQL endpoint, with the first sentences of abstracts if they are wanted.

    A question that fails is asked again after `wait_seconds`, then after twice that, and so on.
    """
    source = load_source("dbpedia")
    asked = sorted(set(predicates))
    endpoint = source.Endpoint(url, wait_seconds=wait_seconds, tell=tell)
    found, scope = Input.of_endpoint(endpoint.url, "abstracts" if abstracts else ""), Scope(lang, tuple(asked))
    folder = workplace_folder(home, "dbpedia", snapshot_name(found.identity, scope))
    pages = source.Pages(endpoint, folder / PAGES)
    read = partial(source.EndpointReader, pages, lang=lang, abstracts=abstracts)

    def part(shard: ShardName) -> PartSource:
        return PartSource(lambda rejects, advance: read(shard, rejects=rejects, advance=advance))

    return stage(home, source.INFO, found, scope, [part(shard) for shard in asked])


def stage_dbpedia_files(home: Home, paths: Sequence[Path], predicates: Sequence[ShardName], lang: str) -> StageResult:
    """Stage some predicates from DBpedia's dump files, and the names, types and links that stand in any of them.

    A folder stands for the .nt and .ttl files in it, packed or not.
    """
    source = load_source("dbpedia")
    asked = sorted(set(predicates))
    once = sorted({file.absolute() for path in paths for file in _dump_files(path)})
    found = Input.of_files(", ".join(file.name for file in once), once)
    read = partial(source.DumpReader, predicates=asked, lang=lang)
    windows = [PartSource(partial(read, file), file.stat().st_size) for file in once]
    return stage(home, source.INFO, found, Scope(lang, tuple(asked)), windows, settings().n_workers)


def _dump_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = [file for ending in ("nt", "ttl") for file in path.glob(f"*.{ending}*") if file.is_file()]
    if not found:
        raise ConfigError(f"{path} holds no .nt or .ttl files, packed or not. Nothing was staged.")
    return found


def stage_imdb(
    home: Home,
    folder: Path,
    lang: str,
    *,
    titles: Sequence[str] = (),
    questions: Sequence[Path] = (),
    min_votes: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> StageResult:
    """Stage a folder of IMDb's data sets: titles that are named, here or in questions, or have enough votes, or all.

    Of several titles with one name the best known is taken; `tell` hears which, and of the others.
    """
    source = load_source("imdb")
    files = source.find_files(folder)
    if min_votes is not None and "title.ratings" not in files:
        raise ConfigError(f"{folder} lacks title.ratings.tsv.gz, so no title has votes. Fetch it, or ask for no votes.")
    sets = [read_questions(path) for path in questions]
    names = frozenset(source.named_titles(text for each in sets for text in each.questions)) if sets else None
    ids = tuple(_title_id(home, folder, title, tell) for title in titles)
    asked = source.AskedTitles(min_votes, names, frozenset(ids))
    files_of_questions = tuple(QuestionFile(name=each.name, sha256=each.sha256) for each in sets)
    scope = Scope(lang, min_votes=min_votes, questions=files_of_questions, titles=ids)
    found = Input.of_files(folder.name, list(files.values()))
    with home.scratch() as scratch:
        read = partial(source.FolderReader, files, asked, scratch)
        return stage(home, source.INFO, found, scope, [PartSource(read, found.n_bytes)])


def _title_id(home: Home, folder: Path, name: str, tell: Callable[[str], None]) -> str:
    with home.scratch() as scratch:
        title, others = load_source("imdb").find_title(folder, name, scratch)
    tell(f"{name!r} is taken for {title}.")
    if others:
        tell(f"Also called so: {'; '.join(map(str, others))}. A year in brackets behind the name chooses.")
    return str(title.tconst)
