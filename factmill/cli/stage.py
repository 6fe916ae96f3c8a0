"""`factmill stage`: one command a source."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import note, print_json, print_table, say
from factmill.home import Home
from factmill.names import PropertyId
from factmill.settings import LANG_PATTERN, settings

if TYPE_CHECKING:
    from factmill.snapshots import Snapshot
    from factmill.stage import StageResult

stage_app = typer.Typer(help="Read a source once and keep what questions need.", no_args_is_help=True)

_ENDPOINT = "https://dbpedia.org/sparql"
_NEXT = "Next: factmill select, or factmill augment --all"

LangOption = Annotated[str | None, typer.Option(help="Language of labels.  [default: en]", show_default=False)]


@stage_app.command()
def wikidata(
    dump: Annotated[
        Path,
        typer.Argument(
            help="A truthy dump: .nt, .nt.gz, .nt.bz2 (slow) or .nt.zst.",
            show_default=False,
            readable=False,  # Typer's own check would give the status of wrong usage
        ),
    ],
    only: Annotated[
        str | None,
        typer.Option(help="Keep only these properties, and P31 and P279: P50,P57.  [default: all]", show_default=False),
    ] = None,
    second: Annotated[
        Path | None,
        typer.Option(
            help="The full RDF dump, or a part of it, for sitelinks, titles and qualifiers; or a .csv of statements.",
            show_default=False,
        ),
    ] = None,
    qualified: Annotated[
        str | None,
        typer.Option(help="With --second: properties to take with their qualifiers: P161.", show_default=False),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Windows that are read side by side.  [default: one a core]", show_default=False),
    ] = None,
    checksum: Annotated[
        str | None, typer.Option(help="MD5, SHA-1 or SHA-256 that the file must have.", show_default=False)
    ] = None,
    lang: LangOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stage a Wikidata truthy dump.

    A run that was interrupted is continued by running it again. A worker takes at most 700 MB of memory.

    Example: factmill stage wikidata latest-truthy.nt.gz --workers 2
    """
    from factmill.stage import stage_wikidata

    if qualified is not None and not second:
        raise typer.BadParameter("--qualified goes with --second.")
    opened = open_home(home, create=True)
    result = stage_wikidata(
        opened,
        dump,
        _lang(lang),
        only=_properties(only, "--only"),
        second=second,
        qualified=_properties(qualified, "--qualified"),
        workers=workers or settings().n_workers,
        checksum=checksum,
    )
    _show(opened, result, as_json)


@stage_app.command()
def dbpedia(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Dump files, or a folder of them, instead of an endpoint: .nt or .ttl, plain, .gz, .bz2 or .zst.",
            show_default=False,
            readable=False,  # Typer's own check would give the status of wrong usage
        ),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(help=f"Address of the SPARQL endpoint.  [default: {_ENDPOINT}]", show_default=False),
    ] = None,
    predicate: Annotated[
        list[str] | None,
        typer.Option(
            help="A predicate such as dbo:artist, or its full address; may be repeated."
            "  [default: all that have a template]",
            show_default=False,
        ),
    ] = None,
    abstracts: Annotated[
        bool,
        typer.Option(
            "--abstracts", help="Also each abstract's first sentence, as a description, though no template asks for it."
        ),
    ] = False,
    lang: LangOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stage predicates from DBpedia, completely or not at all. What is staged is what is named here.

    A run that was interrupted within the last day is continued by running it again.

    Example: factmill stage dbpedia --predicate dbo:artist --predicate dbp:founded
    """
    from factmill.project import load_source
    from factmill.stage import stage_dbpedia, stage_dbpedia_files
    from factmill.steps import want_abstracts
    from factmill.templates import catalogue

    if files and (endpoint or abstracts):
        raise typer.BadParameter("files go without --endpoint, and without --abstracts: what they hold is staged.")
    with_template = [shard for shard in catalogue() if shard.source == "dbpedia"]
    shards = [load_source("dbpedia").parse_predicate(text) for text in predicate] if predicate else with_template
    opened = open_home(home, create=True)
    if files:
        _show(opened, stage_dbpedia_files(opened, files, shards, _lang(lang)), as_json)
    else:
        url = endpoint or _ENDPOINT
        wanted = abstracts or want_abstracts(shards)
        _show(opened, stage_dbpedia(opened, url, shards, _lang(lang), abstracts=wanted, tell=note), as_json)


@stage_app.command()
def imdb(
    folder: Annotated[Path, typer.Argument(help="The folder with title.basics.tsv.gz and so on.", show_default=False)],
    title: Annotated[
        list[str] | None,
        typer.Option(
            help="Only the title of this name, such as 'Heat (1995)'; may be repeated.  [default: all titles]",
            show_default=False,
        ),
    ] = None,
    questions: Annotated[
        list[Path] | None,
        typer.Option(
            help="Only titles that these questions name, a JSONL file; may be repeated.  [default: all titles]",
            show_default=False,
            readable=False,  # as above
        ),
    ] = None,
    min_votes: Annotated[
        int | None,
        typer.Option(
            min=0, help="Only titles with so many votes, and those named.  [default: all]", show_default=False
        ),
    ] = None,
    lang: LangOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stage IMDb's data sets: casts, directors, writers, years, seasons. Their licence is non-commercial.

    A whole one takes at most 4 GB of memory, and the room of two of its files unpacked.

    Example: factmill stage imdb downloads/imdb --min-votes 1000
    """
    from factmill.stage import stage_imdb

    opened = open_home(home, create=True)
    if not title and not questions and min_votes is None:
        min_votes = settings().imdb_min_votes
    result = stage_imdb(
        opened,
        folder,
        _lang(lang),
        titles=title or (),
        questions=questions or (),
        min_votes=min_votes,
        tell=note,
    )
    _show(opened, result, as_json)


@stage_app.command("list")
def list_snapshots(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List what is staged: every snapshot, which of a source is in use, and what it takes.

    Example: factmill stage list
    """
    from factmill.snapshots import all_unfinished, find_snapshots, unreadable_snapshots

    opened = open_home(home)
    found, left, unreadable = find_snapshots(opened), all_unfinished(opened), unreadable_snapshots(opened)
    rows = [_snapshot_row(each) for each in found]
    if as_json:
        print_json({"snapshots": rows, "unfinished": left, "unreadable": unreadable})
        return
    columns = ["source", "snapshot", "in use", "input", "scope", "staged", "facts", "MB"]
    print_table(columns, [tuple((row | {"in_use": "yes" if row["in_use"] else ""}).values()) for row in rows])
    for folder in unreadable:
        say(f"Unreadable: {folder}, damaged or of another version of factmill. Delete it and stage its input again.")
    for folder in left:
        say(f"Unfinished: {folder}. Stage the same input again to finish it.")
    say("Next: factmill stage prune" if len(found) > len({each.manifest.source for each in found}) else _NEXT)


@stage_app.command()
def prune(
    keep: Annotated[int, typer.Option(min=1, help="Snapshots of each source to keep, the one in use included.")] = 1,
    source: Annotated[str | None, typer.Option(help="One source only.", show_default=False)] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete old snapshots. The one in use always stays.

    Example: factmill stage prune --keep 2
    """
    from factmill.snapshots import delete_snapshots, old_snapshots

    opened = open_home(home)
    old = old_snapshots(opened, source, keep)
    for each in old:
        note(f"{each.manifest.source} {each.manifest.snapshot}: {each.manifest.input}, {each.n_bytes / 1e6:,.0f} MB")
    if old and not yes:
        typer.confirm(f"Delete {len(old)} snapshots?", abort=True, err=True)
    delete_snapshots(opened, old)
    if as_json:
        print_json([_snapshot_row(each) for each in old])
    else:
        say(f"Deleted {len(old)} snapshots, {sum(each.n_bytes for each in old) / 1e6:,.0f} MB.")


def _snapshot_row(snapshot: "Snapshot") -> dict[str, Any]:
    manifest = snapshot.manifest
    return {
        "source": manifest.source,
        "snapshot": manifest.snapshot,
        "in_use": snapshot.is_current,
        "input": manifest.input,
        "scope": snapshot.scope,
        "staged_at": f"{manifest.staged_at:%Y-%m-%d %H:%M}",
        "facts": manifest.facts,
        "megabytes": round(snapshot.n_bytes / 1e6),
    }


def _properties(text: str | None, option: str) -> list[PropertyId]:
    if text is None:
        return []
    if not text.strip():
        raise typer.BadParameter(f"{option} names no property. Write it as P50,P57 or leave it out.")
    return [PropertyId.parse(word.strip()) for word in text.split(",")]


def _lang(text: str | None) -> str:
    """Return the language to stage, checked as the setting is."""
    if text is None:
        return settings().lang
    if not re.fullmatch(LANG_PATTERN, text):
        raise typer.BadParameter(f"'{text[:20]}' is no language. Write it as in the data: en, de, zh-hans.")
    return text


def _show(home: Home, result: "StageResult", as_json: bool) -> None:
    from factmill.workplace import unfinished

    manifest = result.stage.manifest
    left = unfinished(home, manifest.source)
    if as_json:
        run = {"is_new": result.is_new, "rejects": result.rejects, "unfinished": left}
        print_json(run | manifest.model_dump(mode="json"))
        return
    if result.is_new:
        _say_what_is_new(result)
    else:
        say(f"{manifest.input} is staged already, as snapshot {manifest.snapshot}: {manifest.facts:,} facts.")
        if not result.was_current:
            say("This snapshot is in use again from now on; `factmill stage list` shows the others.")
    for folder in left:
        say(f"Unfinished: {folder}, of another input or language. Delete it if that will not be staged again.")
    say(_NEXT)


def _say_what_is_new(result: "StageResult") -> None:
    manifest = result.stage.manifest
    before = f", {result.n_windows_before} of {result.n_windows} windows in an earlier run"
    say(
        f"Staged {manifest.facts:,} facts about {manifest.entities:,} entities from {manifest.lines:,} lines"
        f" in {manifest.seconds:.1f} s{before if result.n_windows_before else ''}."
    )
    if manifest.names:
        say(f"Names: {manifest.names:,} lines that name or describe entities.")
    elif manifest.source != "imdb":
        say(f"No entity has a name in the language '{manifest.lang}', so nothing can be asked. See --lang.")
    if manifest.only:
        say("Popularity counts the facts of these properties alone; with others it may differ.")
    if manifest.questions:
        say("These questions chose the titles: measured on them, this source has an oracle's help.")
    for name, figure in manifest.figures.items():
        say(f"{name.replace('_', ' ').capitalize()}: {figure:,.10g}.")
    for what, counts in (("Ignored", manifest.ignored), ("Refused", manifest.rejected)):
        for reason, n in counts.items():
            say(f"{what}: {n:,} lines, {reason}.")
    if result.rejects:
        say(f"The refused lines are in {result.rejects}.")
