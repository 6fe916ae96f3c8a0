"""`factmill stage`: one command a source."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import print_json, say
from factmill.names import ShardName
from factmill.settings import LANG_PATTERN, settings

if TYPE_CHECKING:
    from factmill.stage import StageResult

stage_app = typer.Typer(help="Read a source once and keep what questions need.", no_args_is_help=True)

LangOption = Annotated[str | None, typer.Option(help="Language of labels.  [default: en]", show_default=False)]


@stage_app.command()
def wikidata(
    dump: Annotated[Path, typer.Argument(help="A truthy dump: .nt or .nt.gz.", show_default=False)],
    lang: LangOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stage a Wikidata truthy dump.

    Example: factmill stage wikidata latest-truthy.nt.gz
    """
    from factmill.stage import stage_wikidata

    _show(stage_wikidata(open_home(home, create=True), dump, _lang(lang)), as_json)


@stage_app.command()
def dbpedia(
    endpoint: Annotated[str, typer.Option(help="Address of the SPARQL endpoint.")] = "https://dbpedia.org/sparql",
    predicate: Annotated[
        list[str] | None,
        typer.Option(help="A predicate such as dbo:artist; may be repeated.  [default: all that have a template]"),
    ] = None,
    lang: LangOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stage predicates from DBpedia, completely or not at all. What is staged is what is named here.

    Example: factmill stage dbpedia --endpoint http://localhost:7878/query --predicate dbo:artist
    """
    from factmill.stage import stage_dbpedia
    from factmill.templates import catalogue

    with_template = [shard for shard in catalogue() if shard.source == "dbpedia"]
    shards = sorted({ShardName("dbpedia", text) for text in predicate}) if predicate else with_template
    _show(stage_dbpedia(open_home(home, create=True), endpoint, shards, _lang(lang)), as_json)


@stage_app.command()
def imdb(
    folder: Annotated[Path, typer.Argument(help="The folder with title.basics.tsv.gz and so on.", show_default=False)],
    lang: LangOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stage IMDb's data sets: who plays whom. Their licence is non-commercial.

    Example: factmill stage imdb downloads/imdb
    """
    from factmill.stage import stage_imdb

    _show(stage_imdb(open_home(home, create=True), folder, _lang(lang)), as_json)


def _lang(text: str | None) -> str:
    """Return the language to stage, checked as the setting is."""
    if text is None:
        return settings().lang
    if not re.fullmatch(LANG_PATTERN, text):
        raise typer.BadParameter(f"'{text[:20]}' is no language. Write it as in the data: en, de, zh-hans.")
    return text


def _show(result: "StageResult", as_json: bool) -> None:
    manifest = result.stage.manifest
    if as_json:
        print_json({"is_new": result.is_new, "rejects": result.rejects, **manifest.model_dump(mode="json")})
        return
    if not result.is_new:
        say(f"{manifest.input} is staged already, as snapshot {manifest.snapshot}: {manifest.facts:,} facts.")
    else:
        say(
            f"Staged {manifest.facts:,} facts about {manifest.entities:,} entities from {manifest.lines:,} lines"
            f" in {manifest.seconds:.1f} s."
        )
        for what, counts in (("Ignored", manifest.ignored), ("Refused", manifest.rejected)):
            for reason, n in counts.items():
                say(f"{what}: {n:,} lines, {reason}.")
        if result.rejects:
            say(f"The refused lines are in {result.rejects}.")
    say("Next: factmill select, or factmill augment --all")
