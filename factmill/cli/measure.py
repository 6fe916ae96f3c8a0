"""`factmill evaluate`, `ablate` and `demo`: what the pairs are worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import print_json, print_table, say
from factmill.names import ShardName
from factmill.settings import settings

if TYPE_CHECKING:
    from factmill.ablate import Ablation

QuestionsOption = Annotated[
    Path, typer.Option("--questions", help="Questions with answers, as NQ-open's JSONL.", show_default=False)
]

ViewOption = Annotated[
    str | None, typer.Option("--view", help="Search only this view of the milled shards.", show_default=False)
]


def evaluate(
    questions: QuestionsOption,
    shards: Annotated[
        list[str] | None, typer.Option("--shard", help="Search this shard only; may be repeated.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write what was retrieved, in RePAQ's form.", show_default=False)
    ] = None,
    view: ViewOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask every question of a set and count the exact matches, as PAQ does.

    Example: factmill evaluate --questions nq_dev.jsonl.gz
    """
    from factmill.evaluate import evaluate as run
    from factmill.questions import read_questions

    chosen = [ShardName.parse(text) for text in shards] if shards else None
    result = run(open_home(home), read_questions(questions), chosen, output, view)
    if as_json:
        print_json(result)
        return
    print_table(
        ["questions", "asked", "EM-1", "EM-5"], [(result.questions, result.n_questions, result.em_1, result.em_5)]
    )
    _say_oracle(result.view, is_oracle=result.is_oracle)
    if output:
        say(f"What was retrieved is in {output}.")
    say(f"Next: factmill ablate --questions {questions}")


def ablate(
    questions: QuestionsOption,
    by: Annotated[str, typer.Option(help="What to add one at a time: source.")] = "source",
    base: Annotated[str, typer.Option(help="The shard that everything is compared with.")] = "paq/base",
    view: ViewOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what each source adds to the base: exact matches, questions gained and lost.

    Example: factmill ablate --questions nq_dev.jsonl.gz --by source
    """
    from factmill.steps import ablate as run

    if by != "source":
        raise typer.BadParameter(f"'{by}' is not known; there is: source.")
    result, report = run(open_home(home), questions, base, view)
    if as_json:
        print_json(result)
        return
    print_ablation(result)
    say(f"Report: {report}")


def print_ablation(result: "Ablation") -> None:
    """Print the table of an ablation."""
    rows = result.rows()
    print_table(list(rows[0]), [[*list(row.values())[:-1], _p_value(row["p"])] for row in rows])
    say(f"{result.n_questions:,} questions. Gained, lost and p (exact sign test) are of EM-5 against the base.")
    _say_oracle(result.view, is_oracle=result.is_oracle)


def _say_oracle(view: str | None, *, is_oracle: bool) -> None:
    if view:
        known = " It has seen these questions: an oracle, which no real system could be." if is_oracle else ""
        say(f"Only the view {view} of the milled shards was searched.{known}")


def _p_value(value: object) -> str:
    return f"{value:.2g}" if isinstance(value, float) else ""


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

    run_demo(open_home(home or settings().home / "demo", create=True), say, print_ablation)
