"""`factmill gaps` and `errors`: what the mistakes have in common, and which facts would mend them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.evaluate import NormOption, PredictionsOption, ShardOption, assess, print_evaluation, print_titled
from factmill.cli.options import HomeOption, JsonOption, QuestionsOption, ViewOption, open_home
from factmill.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from factmill.reporting.tables import Table

_MOST_ROWS = 10
_DISPENSABLE = (
    "such as",
    "answers (thesis)",
    "EM (thesis)",
    "mistakes (thesis)",
    "thesis: questions",
    "state",
    "answers",
    "examples",
)
"""Columns that a narrow terminal does without."""


def gaps(
    questions: QuestionsOption,
    predictions: PredictionsOption = None,
    shards: ShardOption = None,
    sources: Annotated[
        list[str] | None,
        typer.Option("--source", help="Look only in facts of this source; may be repeated.", show_default=False),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=50, help="A mistake has no right answer among the first k.")] = 5,
    errors: Annotated[int, typer.Option(min=0, help="Mistakes to draw for the error sheet; 0 for no sheet.")] = 100,
    ner: Annotated[
        str | None,
        typer.Option(help="A spaCy model that sees names which no staged source knows.", show_default=False),
    ] = None,
    view: ViewOption = None,
    norm: NormOption = True,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the facts that would mend mistakes, and what mistakes have in common.

    Example: factmill gaps --questions nq_dev.jsonl.gz
    """
    from factmill.analysis import analyse, sources_to_search, write_analysis
    from factmill.encoders import open_encoder
    from factmill.gap_tables import cluster_table, predicate_table, step_table
    from factmill.settings import settings

    opened = open_home(home)
    searched = sources_to_search(opened, sources or ())
    assessed = assess(questions, predictions, shards, None, view, home, norm=norm)
    analysis = analyse(opened, assessed, k, open_encoder(settings().encoder), searched, ner)
    report = write_analysis(opened, analysis, errors)
    if as_json:
        found = analysis.gaps
        print_json(
            {
                "evaluation": assessed.evaluation,
                "n_mistakes": found.n_mistakes,
                "n_mendable": found.n_mendable,
                "predicates": found.rows,
                "steps": found.steps,
                "clusters": analysis.clusters,
                "report": report,
            }
        )
        return
    print_evaluation(assessed.evaluation)
    for table in (
        predicate_table(assessed.questions.name, analysis.gaps, k),
        step_table(analysis.gaps, assessed.questions.questions),
        cluster_table(analysis.clusters),
    ):
        _print_first(table)
    n, of = analysis.gaps.n_mendable, analysis.gaps.n_mistakes
    say(f"Staged facts answer {n:,} of {of:,} mistakes.")
    say(f"Report: {report}")
    if errors:
        say(f"Next: sort the mistakes in {report.parent / 'errors.csv'}, then factmill errors on that file")


def _print_first(table: "Table") -> None:
    from dataclasses import replace

    hidden = len(table.rows) - _MOST_ROWS
    print_titled(replace(table, rows=table.rows[:_MOST_ROWS]), _DISPENSABLE)
    if hidden > 0:
        say(f"{hidden:,} more are in {table.name}.csv of the run.")


def errors(
    sheet: Annotated[Path, typer.Argument(help="An error sheet whose column `category` somebody has filled.")],
    as_json: JsonOption = False,
) -> None:
    """Count what kinds of mistakes an error sheet holds.

    Example: factmill errors errors.csv
    """
    from factmill.error_sheet import error_table, read_error_sheet

    table = error_table(read_error_sheet(sheet))
    if as_json:
        print_json(table)
        return
    rows = table.rows()
    if rows:
        print_table(list(rows[0]), [list(row.values()) for row in rows])
    say(f"{table.n_filled:,} mistakes have a category, {table.n_unfilled:,} have none.")
