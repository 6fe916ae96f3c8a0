"""`factmill corpus`: import, drop, export, why; `corpus_history`, `corpus_stats`, `corpus_upkeep` have the others."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from factmill.cli.corpus_history import diff, log
from factmill.cli.corpus_stats import stats
from factmill.cli.corpus_upkeep import compact, vacuum
from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import print_json, say
from factmill.names import ShardName
from factmill.plain import plain

corpus_app = typer.Typer(
    help="The corpus of question-answer pairs: fill it, look at it, keep it small, export it, ask why.",
    no_args_is_help=True,
)


@corpus_app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="PAQ or NQ-open JSONL: .jsonl or .jsonl.gz.", show_default=False)],
    shard: Annotated[str, typer.Option("--as", help="The shard to import as.")] = "paq/base",
    licence: Annotated[str | None, typer.Option(help="The licence of these pairs.", show_default=False)] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import a base corpus as a shard, keeping its order and duplicates.

    Example: factmill corpus import PAQ.jsonl.gz --as paq/base
    """
    from factmill.importing import import_base

    written, rejects = import_base(open_home(home, create=True), file, ShardName.parse(shard), licence)
    if as_json:
        print_json(
            {"shard": written.shard, "version": written.version, "changes": written.changes, "refused": rejects.counts}
        )
        return
    changes = written.changes
    if written.version is None:
        say(f"{written.shard} is up to date: {changes.n_unchanged:,} pairs.")
    else:
        n_pairs = changes.n_added + changes.n_changed + changes.n_unchanged
        say(f"{written.shard}: {n_pairs:,} pairs ({changes.n_added:,} added), written as version {written.version}.")
    if rejects.total:
        for reason, n in sorted(rejects.counts.items()):
            say(f"Refused: {n:,} lines, {reason}.")
        say(f"The refused lines are in {rejects.file}.")
    say("Next: factmill index")


for command in (log, diff, stats, compact, vacuum):
    corpus_app.command()(command)


@corpus_app.command()
def drop(
    shard: Annotated[str, typer.Argument(help="A shard such as wikidata/P175.", show_default=False)],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Retire all pairs of a shard. Earlier versions of the corpus keep them.

    Example: factmill corpus drop wikidata/P175
    """
    from factmill.corpus import Corpus
    from factmill.errors import ConfigError
    from factmill.steps import retire

    opened, name = open_home(home), ShardName.parse(shard)
    if name not in Corpus(opened).latest().shards():
        raise ConfigError(f"the corpus has no shard {name}. See `factmill corpus log`.")
    written = retire(opened, name, "drop")
    if as_json:
        print_json(written)
    else:
        say(f"{name}: {written.changes.n_retired:,} pairs retired in version {written.version}.")


@corpus_app.command()
def export(
    out: Annotated[
        Path, typer.Argument(help="The file to write: .jsonl or .jsonl.gz; for hf a folder.", show_default=False)
    ],
    form: Annotated[
        Literal["paq", "kilt", "qampari", "hf"], typer.Option("--format", help="See docs/exports.md.")
    ] = "paq",
    shards: Annotated[
        list[str] | None,
        typer.Option("--shard", "--shards", help="Export this shard only; may be repeated.", show_default=False),
    ] = None,
    licences: Annotated[
        list[str] | None,
        typer.Option("--licence", help="Export pairs of this licence only; may be repeated.", show_default=False),
    ] = None,
    min_popularity: Annotated[
        int | None,
        typer.Option(min=0, help="Leave out pairs whose subject is less popular; a base stays.", show_default=False),
    ] = None,
    include_noncommercial: Annotated[
        bool,
        typer.Option("--include-noncommercial", help="Also pairs that may not be passed on, for your own use: IMDb's."),
    ] = False,
    metadata: Annotated[
        bool, typer.Option("--metadata", help="paq: also PAQ's metadata form, as OUT.metadata.jsonl.")
    ] = False,
    slots: Annotated[
        bool, typer.Option("--slots", help="kilt: slot filling, subject [SEP] relation, instead of questions.")
    ] = False,
    wikipedia_pages: Annotated[
        Path | None,
        typer.Option(help="kilt: titles with page ids, as TSV or JSONL; gives provenance.", show_default=False),
    ] = None,
    split: Annotated[
        Literal["train", "dev", "test"], typer.Option(help="qampari: the last part of each qid.")
    ] = "train",
    min_answers: Annotated[int, typer.Option(min=1, help="qampari: leave out questions with fewer.")] = 1,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the pairs for other tools, without those whose licence is non-commercial.

    Example: factmill corpus export --format paq corpus.jsonl.gz
    """
    from factmill.export.chosen import Choice, left_out_lines
    from factmill.export.formats import Options, export_corpus

    named = tuple(ShardName.parse(text) for text in shards or ())
    choice = Choice(named, tuple(licences or ()), min_popularity, include_noncommercial)
    options = Options(metadata, slots, wikipedia_pages, split, min_answers)
    exported = export_corpus(open_home(home), out, form, choice, options)
    if as_json:
        print_json(exported)
        return
    lines = f" in {exported.n_lines:,} lines" if exported.n_lines != exported.n_pairs else ""
    say(f"Wrote {exported.n_pairs:,} pairs{lines} to {exported.path}.")
    for what, count in exported.figures.items():
        say(f"Of the lines {count:,} are {what}.")
    for text in left_out_lines(exported.left_out):
        say(text)
    say(f"Next: {exported.manifest} tells which lines are whose, and what was left out of which shard.")


@corpus_app.command()
def why(
    pairs: Annotated[
        list[str], typer.Argument(help="Ids of pairs, beginnings of ids, or questions.", show_default=False)
    ],
    dumps: Annotated[
        list[Path] | None,
        typer.Option(
            "--dump",
            help="A file or folder of the input that lies elsewhere now; may be repeated.",
            show_default=False,
        ),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show where pairs come from: template, run, snapshot, and the very line behind each fact.

    Status 1 if something else stands there than the fact.

    Example: factmill corpus why 3f2a
    """
    from factmill.cli.why import say_why
    from factmill.evidence import Verdict
    from factmill.why import why as explain

    explained = explain(open_home(home), pairs, dumps or [])
    if as_json:
        print_json([plain(one) | {"verdict": one.verdict} for one in explained])
    else:
        for number, one in enumerate(explained):
            if number:
                say("")
            say_why(one)
        if any(one.verdict is Verdict.NOT_STATED and one.retired_in is None for one in explained):
            say("Next: stage the input and augment the shard again")
    if any(one.verdict is Verdict.NOT_STATED for one in explained):
        raise typer.Exit(1)
