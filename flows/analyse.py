"""Find the facts that would mend the mistakes on a question set."""

from pathlib import Path
from typing import Annotated, Any

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from pydantic import Field

from factmill import steps
from factmill.home import Home
from factmill.plain import plain
from factmill.settings import settings

QuestionFile = Annotated[str, Field(description="questions with answers (docs/evaluation.md)")]
FirstAnswers = Annotated[int, Field(ge=1, le=50, description="a mistake has no right answer among so many")]
Sources = Annotated[list[str], Field(description="sources whose facts are looked into; empty: all that are staged")]
HomeFolder = Annotated[str | None, Field(description="the workspace; empty: the setting `home`")]


@task(task_run_name="analyse")
def find_gaps(questions: Path, k: int, sources: list[str], home: Path) -> tuple[list[dict[str, Any]], str]:
    """Return what to add next, and the path of the report."""
    analysis, report = steps.analyse(Home.open(home), questions, k=k, sources=sources)
    rows = [
        {"predicate": str(step.way), "label": step.label, "could mend": step.n_mended, "next": step.advice}
        for step in analysis.gaps.steps
    ]
    return plain(rows), str(report)


@flow(name="analyse", flow_run_name="analyse {questions}")
def analyse(
    questions: QuestionFile,
    k: FirstAnswers = 5,
    sources: Sources = [],  # noqa: B006
    home: HomeFolder = None,
) -> list[dict[str, Any]]:
    """Find the facts that would mend mistakes, and return what to add next."""
    rows, report = find_gaps(Path(questions), k, sources, Path(home) if home else settings().home)
    create_table_artifact(rows, key="gaps", description=f"What to add next. Report: {report}")
    return rows
