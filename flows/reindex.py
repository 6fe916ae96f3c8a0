"""Index the shards that are missing or stale."""

from pathlib import Path

from prefect import flow, task

from factmill import steps
from factmill.home import Home
from factmill.settings import settings


@task(task_run_name="index")
def index_all(rebuild: bool, home: Path) -> int:
    """Index what is stale, or everything, and return how many shards that were."""
    return sum(result.was_built for result in steps.index_corpus(Home.open(home), rebuild=rebuild))


@flow(name="reindex")
def reindex(rebuild: bool = False, home: str | None = None) -> int:
    """Bring the index up to date with the corpus."""
    return index_all(rebuild, Path(home) if home else settings().home)
