"""Bring the shards of one source up to date: fetch, stage, select, mill, write, index."""

from pathlib import Path
from typing import Annotated, Any, Literal

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_table_artifact
from prefect.client.schemas.objects import State, TaskRun
from prefect.tasks import Task
from pydantic import Field

from factmill import steps
from factmill.errors import SourceUnavailable
from factmill.home import Home
from factmill.names import ShardName
from factmill.patience import LONGEST_ASKED_WAIT_SECONDS
from factmill.plain import plain
from factmill.settings import settings
from factmill.snapshots import delete_snapshots, old_snapshots

SourceName = Annotated[Literal["wikidata", "dbpedia", "imdb"], Field(description="where the facts come from")]
Location = Annotated[
    str | None,
    Field(description="dump file or its address, SPARQL endpoint or folder to stage first; empty: what is staged"),
]
Predicates = Annotated[list[str], Field(description="predicates such as P175; empty: all that are selected")]
HomeFolder = Annotated[str | None, Field(description="the workspace; empty: the setting `home`")]
KeepSnapshots = Annotated[
    int | None, Field(ge=1, description="staged snapshots of the source to keep, the one in use included; empty: all")
]
TemplateFile = Annotated[str | None, Field(description="a template file for a single predicate")]


def worth_retrying(_task: Task[Any, Any], _run: TaskRun, state: State[Any]) -> bool:
    """Tell whether trying again may help: only if a source could not be reached, and does not ask for a long wait."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, SourceUnavailable) and error.wait_seconds <= LONGEST_ASKED_WAIT_SECONDS


@task(retries=3, retry_delay_seconds=[5, 30, 120], retry_condition_fn=worth_retrying, task_run_name="fetch {source}")
def fetch_source(source: str, location: str) -> str:
    """Fetch a dump that is at a web address and return where to stage from."""
    return steps.fetch_if_remote(source, location, get_run_logger().info)


@task(retries=3, retry_delay_seconds=[5, 30, 120], retry_condition_fn=worth_retrying, task_run_name="stage {source}")
def stage_source(source: str, location: str, predicates: list[str], home: Path) -> str:
    """Stage a source and return the name of its snapshot."""
    result = steps.stage_source(Home.open(home, create=True), source, location, predicates)
    return result.stage.manifest.snapshot


@task(task_run_name="select {source}")
def select_shards(source: str, predicates: list[str], home: Path) -> list[str]:
    """Return the shards to mill."""
    opened = Home.open(home)
    if not predicates:
        return [str(shard) for shard in steps.plan_all(opened, source).chosen]
    shards = [ShardName.parse(f"{source}/{predicate}") for predicate in predicates]
    steps.check_selected(opened, shards)
    return [str(shard) for shard in shards]


@task(task_run_name="mill {shard}")
def mill_shard(shard: str, template: Path | None, dry_run: bool, home: Path) -> dict[str, Any]:
    """Mill one shard and return what changed."""
    chosen = steps.resolve_template(ShardName.parse(shard), template)
    result = plain(steps.augment(Home.open(home), chosen, dry_run=dry_run))
    get_run_logger().info("%s: %s pairs, %s", shard, result["n_pairs"], result["changes"])
    return {"shard": shard, "pairs": result["n_pairs"], "version": result["version"], **result["changes"]}


@task(task_run_name="retire what is gone from {source}")
def retire_vanished(source: str, home: Path) -> list[dict[str, Any]]:
    """Take the shards out of the corpus whose predicate is no longer in the source."""
    opened = Home.open(home)
    return [_row(plain(steps.retire(opened, s, "flow"))) for s in steps.plan_all(opened, source).vanished]


def _row(result: dict[str, Any]) -> dict[str, Any]:
    return {"shard": result["shard"], "pairs": 0, "version": result["version"], **result["changes"]}


@task(task_run_name="prune {source}")
def prune_snapshots(source: str, keep: int, home: Path) -> int:
    """Delete all but the newest snapshots of a source and return how many that were."""
    opened = Home.open(home)
    old = old_snapshots(opened, source, keep)
    delete_snapshots(opened, old)
    return len(old)


@task(task_run_name="index")
def index_shards(shards: list[str], home: Path) -> int:
    """Index what changed and return how many shards that were."""
    wanted = {ShardName.parse(shard) for shard in shards}
    return sum(result.was_built for result in steps.index_corpus(Home.open(home), wanted))


@flow(name="augment", flow_run_name="augment {source}")
def augment(
    source: SourceName,
    location: Location = None,
    predicates: Predicates = [],  # noqa: B006
    template: TemplateFile = None,
    dry_run: bool = False,
    keep_snapshots: KeepSnapshots = None,
    home: HomeFolder = None,
) -> list[dict[str, Any]]:
    """Bring the shards of one source up to date and return what changed in each."""
    folder = Path(home) if home else settings().home
    if location:
        stage_source(source, fetch_source(source, location), predicates, folder)
    shards = select_shards(source, predicates, folder)
    results = [mill_shard(shard, Path(template) if template else None, dry_run, folder) for shard in shards]
    if not dry_run:
        results += [] if predicates else retire_vanished(source, folder)
        index_shards(shards, folder)
        if keep_snapshots:
            prune_snapshots(source, keep_snapshots, folder)
    create_table_artifact(results, key=f"augment-{source}", description="What this run changed in the corpus.")
    return results
