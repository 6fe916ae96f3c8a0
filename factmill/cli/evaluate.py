"""`factmill evaluate`: how good answers are, the corpus' own or another system's."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, QuestionsOption, ViewOption, open_home
from factmill.cli.output import print_json, print_table, say, say_oracle
from factmill.names import ShardName

if TYPE_CHECKING:
    from factmill.evaluate import Assessed, Evaluation
    from factmill.reporting.tables import Table

PredictionsOption = Annotated[
    Path | None,
    typer.Option(help="Judge what another system has answered, in place of the corpus.", show_default=False),
]
ShardOption = Annotated[
    list[str] | None, typer.Option("--shard", help="Search this shard only; may be repeated.", show_default=False)
]
NormOption = Annotated[bool, typer.Option("--norm/--no-norm", help="Also accept other names of staged entities.")]


def evaluate(
    questions: QuestionsOption,
    predictions: PredictionsOption = None,
    shards: ShardOption = None,
    output: Annotated[
        Path | None, typer.Option(help="Write what was retrieved, in RePAQ's form.", show_default=False)
    ] = None,
    view: ViewOption = None,
    norm: NormOption = True,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask every question of a set, or read what another system answered, and score the answers.

    Example: factmill evaluate --questions nq_dev.jsonl.gz
    """
    assessed = assess(questions, predictions, shards, output, view, home, norm=norm)
    result = assessed.evaluation
    if as_json:
        print_json(result)
        return
    print_evaluation(result)
    if output:
        say(f"What was retrieved is in {output}.")
    also = f" --predictions {predictions}" if predictions else ""
    say(f"Next: factmill gaps --questions {questions}{also}")


def assess(
    questions: Path,
    predictions: Path | None,
    shards: list[str] | None,
    output: Path | None,
    view: str | None,
    home: Path | None,
    *,
    norm: bool,
) -> "Assessed":
    """Evaluate what the user named."""
    from factmill.evaluate import evaluate as run
    from factmill.evaluate import evaluate_predictions
    from factmill.questions import read_questions
    from factmill.settings import settings

    if predictions and (shards or output or view):
        raise typer.BadParameter("--predictions goes without --shard, --output and --view: nothing is searched.")
    read = read_questions(questions)
    if predictions:
        # They can be judged without a home, which only knows more.
        is_there = home is not None or (settings().home / "home.json").exists()
        return evaluate_predictions(open_home(home) if is_there else None, read, predictions, norm=norm)
    opened = open_home(home)
    chosen = [ShardName.parse(text) for text in shards] if shards else None
    return run(opened, read, chosen, output, view, norm=norm)


def print_evaluation(result: "Evaluation") -> None:
    """Print the tables of an evaluation."""
    from factmill.evaluation_tables import evaluation_tables

    for table in evaluation_tables(result):
        print_titled(table)
    if result.published.n_extra:
        say(f"{result.published.n_extra:,} predictions belong to no question of the set.")
    say_oracle(result.view, is_oracle=result.is_oracle)


def print_titled(table: "Table", dispensable: Sequence[str] = ()) -> None:
    """Print a table under its title; a narrow terminal does without the dispensable columns."""
    say(table.title if table.rows else f"{table.title}: none.")
    if table.rows:
        print_table(table.columns, table.rows, dispensable)
        if table.note:
            say(table.note)
    say("")
