"""Measure what each part of the corpus adds to the base."""

from pathlib import Path
from typing import Annotated, Any

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from pydantic import Field

from factmill import steps
from factmill.ablation.experiment import Experiment, make_experiment
from factmill.home import Home
from factmill.settings import settings

ExperimentFile = Annotated[str | None, Field(description="an experiment as TOML; what else is given changes it")]
QuestionFile = Annotated[str | None, Field(description="questions with answers, as NQ-open's JSONL")]
BaseShard = Annotated[str | None, Field(description="the shard that everything is compared with; paq/base if not told")]
HomeFolder = Annotated[str | None, Field(description="the workspace; empty: the setting `home`")]


@task(task_run_name="ablate")
def run_experiment(experiment: Experiment, home: Path) -> tuple[list[dict[str, Any]], str]:
    """Return the rows of the tables and the path of the report."""
    ablation, report = steps.ablate(Home.open(home), experiment)
    return [{"questions": table.questions, **row} for table in ablation.tables for row in table.rows()], str(report)


@flow(name="ablate", flow_run_name="ablate")
def ablate(
    questions: QuestionFile = None,
    base: BaseShard = None,
    experiment: ExperimentFile = None,
    home: HomeFolder = None,
) -> list[dict[str, Any]]:
    """Compare the base with what the experiment says, or with each source, and return the tables."""
    options = {"questions": questions and [questions], "base": base}
    chosen = make_experiment(Path(experiment) if experiment else None, options)
    rows, report = run_experiment(chosen, Path(home) if home else settings().home)
    create_table_artifact(rows, key="ablation", description=f"What each part adds. Report: {report}")
    return rows
