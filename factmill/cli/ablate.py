"""`factmill ablate` and `demo`: what each part of the corpus is worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, QuestionsOption, ViewOption, open_home
from factmill.cli.output import print_json, print_table, say, say_oracle
from factmill.settings import settings

if TYPE_CHECKING:
    from factmill.ablate import Ablation


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
    say_oracle(result.view, is_oracle=result.is_oracle)


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
