"""The commands of the first level; those with commands of their own have files of their own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmill import __version__
from factmill.cli.ablate import ablate, demo
from factmill.cli.ask import ask
from factmill.cli.corpus import corpus_app
from factmill.cli.evaluate import evaluate
from factmill.cli.fetch import fetch_app
from factmill.cli.gaps import errors, gaps
from factmill.cli.link import link
from factmill.cli.options import HomeOption, JsonOption, PresetOption, open_home
from factmill.cli.output import print_json, say, told_change
from factmill.cli.select import select
from factmill.cli.stage import stage_app
from factmill.cli.templates import templates_app
from factmill.cli.views import views_app
from factmill.names import ShardName
from factmill.plain import harmless

if TYPE_CHECKING:
    from factmill.home import Home
    from factmill.steps import Augmented, Indexed, Plan

app = typer.Typer(
    help="Mill facts from Wikidata, DBpedia and IMDb into question-answer pairs for a PAQ-style corpus.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(fetch_app, name="fetch")
app.add_typer(stage_app, name="stage")
app.add_typer(templates_app, name="templates")
app.add_typer(corpus_app, name="corpus")
app.add_typer(views_app, name="views")


def _show_version(value: bool) -> None:
    if value:
        say(f"factmill {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass


app.command()(select)


@app.command()
def augment(
    shards: Annotated[
        list[str] | None, typer.Argument(help="Shards such as wikidata/P175.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every selected predicate that has a template.")] = False,
    source: Annotated[str | None, typer.Option(help="With --all: one source only.", show_default=False)] = None,
    preset: PresetOption = None,
    template: Annotated[
        Path | None, typer.Option(help="A template file to use instead of the project's.", show_default=False)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would change and write nothing.")] = False,
    index: Annotated[bool, typer.Option(help="Index the shard afterwards.")] = True,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Mill shards: select, render, verify, write to the corpus, index.

    Example: factmill augment wikidata/P175 --dry-run
    """
    from factmill import steps
    from factmill.presets import find_preset

    _check_augment_words(shards or [], every, source or preset, template)
    opened = open_home(home)
    plan = steps.plan_all(opened, source, find_preset(preset) if preset else None) if every else None
    names = plan.chosen if plan else sorted({ShardName.parse(text) for text in shards or []})
    templates = [steps.resolve_template(name, template) for name in names]
    if not plan:
        steps.check_selected(opened, names)
    results = []
    for one in templates:
        results.append(steps.augment(opened, one, dry_run=dry_run))
        if not as_json:
            _say_augmented(results[-1], dry_run=dry_run, verbose=len(templates) == 1)
    if plan:
        _handle_left_out(opened, plan, dry_run=dry_run, as_json=as_json)
    indexed = list(steps.index_corpus(opened, set(names))) if index and not dry_run else []
    if as_json:
        print_json(results)
        return
    built = [one for one in indexed if one.was_built]
    if indexed:
        say(f"Indexed {sum(one.n_rows for one in built):,} pairs in {len(built):,} of {len(indexed):,} shards.")
    say(f"Next: {_next_after_augment(opened, dry_run=dry_run, index=index)}")


def _check_augment_words(shards: list[str], every: bool, scope: str | None, template: Path | None) -> None:
    if every and (shards or template):
        raise typer.BadParameter("--all goes without shards and without --template.")
    if not every and not shards:
        raise typer.BadParameter("name some shards, or say --all.")
    if scope and not every:
        raise typer.BadParameter("--source and --preset go with --all.")
    if template and len(shards) != 1:
        raise typer.BadParameter("--template goes with exactly one shard.")


def _handle_left_out(home: "Home", plan: "Plan", *, dry_run: bool, as_json: bool) -> None:
    """Retire what is gone from its source, and say what was not milled and why."""
    from factmill import steps

    for shard in plan.vanished:
        if not dry_run:
            steps.retire(home, shard, "augment-all")
        if not as_json:
            say(f"{shard}: gone from its source; {'would be' if dry_run else 'its pairs were'} retired.")
    for row in plan.dropped:
        if not as_json:
            say(f"{row.shard}: left out, {row.reason}.")


def _next_after_augment(home: "Home", *, dry_run: bool, index: bool) -> str:
    from factmill.steps import unindexed_shards

    if dry_run:
        return "the same without --dry-run"
    # Without an index nothing here may need the encoder, which might have to be fetched.
    if not index:
        return "factmill index"
    return "factmill index" if unindexed_shards(home) else 'factmill ask "…"'


def _say_augmented(result: "Augmented", *, dry_run: bool, verbose: bool) -> None:
    changes = result.changes
    if dry_run:
        verdict = "would be written" if result.is_new else "nothing would change"
    else:
        verdict = "up to date" if result.version is None else f"written as version {result.version}"
    say(
        f"{result.shard}: {result.n_facts:,} facts, {result.n_pairs:,} pairs"
        f" ({changes.n_added:,} added, {changes.n_changed:,} changed, {changes.n_retired:,} retired); {verdict}."
    )
    if result.n_repeated:
        say(f"  said again: {result.n_repeated:,} facts")
    if result.n_merged:
        say(f"  merged: {result.n_merged:,} subjects that share their name with a better known one")
    if result.n_hinted:
        say(f"  hinted: {result.n_hinted:,} names of subjects that share them with a better known one")
    for reason, n in result.refused.items():
        say(f"  refused: {n:,}, {reason}")
    if result.rejects:
        say(f"  each refusal is in {result.rejects}")
    if verbose and not dry_run:
        for question, answer in result.sample:
            say(harmless(f"  {question} → {answer}"))
    for change in result.change_samples:
        say(f"  {change.kind}: {harmless(told_change(change))}")


@app.command()
def index(
    shards: Annotated[list[str] | None, typer.Argument(help="Shards to index; all if none is named.")] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build every shard anew.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Read the files of the index again, and build anew what is damaged.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Encode and index the shards that are missing or stale, and nothing else.

    Example: factmill index
    """
    from factmill.steps import check_present, index_corpus

    opened = open_home(home)
    only = {ShardName.parse(text) for text in shards} if shards else None
    check_present(opened, only or ())
    results = []
    for result in index_corpus(opened, only, rebuild=rebuild, check=check):
        results.append(result)
        if not as_json:
            say(f"{result.shard}: {result.n_rows:,} pairs, {_told_indexed(result)}")
    if as_json:
        print_json(results)
    else:
        say('Next: factmill ask "…"')


def _told_indexed(result: "Indexed") -> str:
    return f"indexed, {result.n_encoded:,} encoded" if result.was_built else "up to date"


app.command()(ask)
app.command()(link)
app.command()(evaluate)
app.command()(gaps)
app.command()(errors)
app.command()(ablate)
app.command()(demo)
