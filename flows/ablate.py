"""Measure what each source adds to the base."""

from pathlib import Path
from typing import Annotated, Any

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from pydantic import Field

from factmill import steps
from factmill.home import Home
from factmill.settings import settings

QuestionFile = Annotated[str, Field(description="questions with answers, as NQ-open's JSONL")]
BaseShard = Annotated[str, Field(description="the shard that everything is compared with")]
HomeFolder = Annotated[str | None, Field(description="the workspace; empty: the setting `home`")]


@task(task_run_name="ablate")
def ablate_by_source(questions: Path, base: str, home: Path) -> tuple[list[dict[str, Any]], str]:
    """Return the rows of the table and the path of the report."""
    ablation, report = steps.ablate(Home.open(home), questions, base)
    return ablation.rows(), str(report)


@flow(name="ablate", flow_run_name="ablate on {questions}")
def ablate(questions: QuestionFile, base: BaseShard = "paq/base", home: HomeFolder = None) -> list[dict[str, Any]]:
    """Compare the base with the base and each source, and return the table."""
    rows, report = ablate_by_source(Path(questions), base, Path(home) if home else settings().home)
    create_table_artifact(rows, key="ablation", description=f"What each source adds. Report: {report}")
    return rows
