"""`factmill ablate` and `demo`: what each part of the corpus is worth."""

from pathlib import Path
from typing import Annotated, Any

import typer

from factmill.cli.ablation_tables import print_ablation, print_briefly
from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import print_json, say
from factmill.settings import settings

Paths = list[Path] | None


def ablate(
    experiment: Annotated[
        Path | None, typer.Argument(help="An experiment as TOML; options change what it says.", show_default=False)
    ] = None,
    questions: Annotated[
        Paths, typer.Option(help="Questions with answers, as NQ-open's JSONL; may be repeated.", show_default=False)
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="source, predicate, leave-one-out or leave-one-source-out.  [default: source]", show_default=False
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(help="What everything is compared with.  [default: paq/base]", show_default=False),
    ] = None,
    shards: Annotated[
        list[str] | None,
        typer.Option("--shard", help="Compare only this shard or source; may be repeated.", show_default=False),
    ] = None,
    views: Annotated[
        list[str] | None,
        typer.Option(
            "--view",
            help="Search this view of the milled shards; may be repeated.  [default: full]",
            show_default=False,
        ),
    ] = None,
    k: Annotated[
        list[int] | None,
        typer.Option("-k", help="Count EM-k; may be repeated.  [default: 1 and 5]", show_default=False),
    ] = None,
    select_on: Annotated[
        Paths, typer.Option(help="Choose shards on these questions; may be repeated.", show_default=False)
    ] = None,
    report_on: Annotated[
        Paths, typer.Option(help="Measure the chosen shards on these; may be repeated.", show_default=False)
    ] = None,
    select_k: Annotated[
        int | None, typer.Option(help="Choose by EM-k with this k.  [default: 5]", show_default=False)
    ] = None,
    min_gain: Annotated[
        float | None,
        typer.Option(help="Choose what gains so many points.  [default: 0.02]", show_default=False),
    ] = None,
    greedy: Annotated[
        bool | None, typer.Option("--greedy", help="Choose one shard on top of the other.", show_default=False)
    ] = None,
    cure: Annotated[
        bool | None,
        typer.Option("--cure", help="Choose what keeps shards from doing harm.", show_default=False),
    ] = None,
    save: Annotated[bool, typer.Option("--save", help="Use the cures in every search from now on.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what each part of the corpus adds to the base: exact matches, questions gained and lost.

    Example: factmill ablate --questions nq_dev.jsonl.gz --by predicate
    """
    from factmill.ablation.experiment import make_experiment
    from factmill.steps import ablate as run

    options: dict[str, Any] = {
        "questions": questions,
        "by": by,
        "base": base,
        "shards": shards,
        "views": views,
        "k": k,
        "select_on": select_on,
        "report_on": report_on,
        "select_k": select_k,
        "min_gain": min_gain,
        "greedy": greedy,
        "cure": cure,
    }
    result, report = run(open_home(home), make_experiment(experiment, options), save=save)
    if as_json:
        print_json(result)
        return
    print_ablation(result)
    say(f"Report: {report}")


def demo(
    home: Annotated[
        Path | None,
        typer.Option(help="The workspace folder.  [default: the folder demo in the home]", show_default=False),
    ] = None,
) -> None:
    """Run the whole path on a few hundred facts that come with factmill.

    Example: factmill demo
    """
    from factmill.demo import run_demo

    run_demo(open_home(home or settings().home / "demo", create=True), say, print_briefly)
