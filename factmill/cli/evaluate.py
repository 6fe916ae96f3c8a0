"""`factmill evaluate`: what the corpus answers."""

from pathlib import Path
from typing import Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, QuestionsOption, ViewOption, open_home
from factmill.cli.output import print_json, print_table, say, say_oracle
from factmill.names import ShardName


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
    say_oracle(result.view, is_oracle=result.is_oracle)
    if output:
        say(f"What was retrieved is in {output}.")
    say(f"Next: factmill ablate --questions {questions}")
