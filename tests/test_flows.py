"""The flows do what the command line does, on a real Prefect server."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from factmill.corpus import Corpus
from factmill.errors import ConfigError, SourceUnavailable
from factmill.home import Home
from factmill.settings import settings
from factmill.snapshots import find_snapshots
from factmill.sparql_server import free_port
from tests.conftest import ROOT
from tests.dumps import SONGS, write_dump
from tests.flaky_server import File, flaky_server, status

DEPLOYMENTS = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]


@pytest.fixture(scope="session")
def prefect_api() -> Iterator[None]:
    """One real server for the whole session; its start takes longer than everything else."""
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=120):
        yield


def _load(entrypoint: str) -> Any:
    from prefect.flows import load_flow_from_entrypoint

    return load_flow_from_entrypoint(str(ROOT / entrypoint), use_placeholder_flow=False)


def test_the_deployments_are_those_that_the_documents_name() -> None:
    names = {deployment["name"] for deployment in DEPLOYMENTS}
    assert {"wikidata-weekly", "dbpedia-monthly", "imdb-daily", "one-off", "ablation"} <= names
    for deployment in DEPLOYMENTS:
        assert deployment["work_pool"] == {"name": "factmill"}
        scheduled = deployment["name"].endswith(("weekly", "monthly", "daily"))
        assert scheduled == bool(deployment.get("schedules"))


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda deployment: str(deployment["name"]))
def test_every_deployment_loads_and_its_parameters_fit(deployment: dict[str, Any]) -> None:
    flow = _load(deployment["entrypoint"])
    flow.validate_parameters(deployment.get("parameters", {}))
    assert set(deployment.get("parameters", {})) <= set(flow.parameters.properties)


def test_augment_reindex_and_ablate_run_against_a_real_server(prefect_api: None, home: Home, dump: Path) -> None:
    from factmill.importing import import_base
    from factmill.names import ShardName

    base = home.root / "base.jsonl"
    base.write_text('{"question": "who wrote carmen", "answer": ["Bizet"]}\n')
    import_base(home, base, ShardName.parse("paq/base"), None)
    augment = _load("flows/augment.py:augment")
    results = augment(source="wikidata", location=str(dump), home=str(home.root))
    assert [(row["shard"], row["pairs"], row["n_added"]) for row in results] == [
        ("wikidata/P175", 3, 3),
        ("wikidata/P31", 3, 3),
        ("wikidata/P571", 4, 4),
        ("wikidata/P577", 4, 4),
    ]
    version = Corpus(home).latest().number
    again = augment(source="wikidata", location=str(dump), home=str(home.root))
    assert [row["version"] for row in again] == [None] * 4
    assert Corpus(home).latest().number == version
    newer = write_dump(dump.with_name("newer.nt.gz"), SONGS[:-1])
    augment(source="wikidata", location=str(newer), predicates=["P175"], keep_snapshots=1, home=str(home.root))
    assert [snapshot.manifest.input for snapshot in find_snapshots(home)] == ["newer.nt.gz"]
    dry = augment(source="wikidata", predicates=["P175"], dry_run=True, home=str(home.root))
    assert [row["shard"] for row in dry] == ["wikidata/P175"]

    assert _load("flows/reindex.py:reindex")(home=str(home.root)) == 1
    questions = home.root / "questions.jsonl"
    questions.write_text('{"question": "singer of hello", "answer": ["Adele"]}\n')
    table = _load("flows/ablate.py:ablate")(questions=str(questions), home=str(home.root))
    assert [(row["corpus"], row["EM-1"]) for row in table] == [("base", 0.0), ("+ wikidata", 100.0)]
    experiment = home.root / "experiment.toml"
    experiment.write_text('questions = ["questions.jsonl"]\nby = "predicate"\nshards = ["wikidata/P175"]\n')
    table = _load("flows/ablate.py:ablate")(experiment=str(experiment), home=str(home.root))
    assert [(row["corpus"], row["EM-1"]) for row in table] == [("base", 0.0), ("+ wikidata/P175", 100.0)]
    questions.write_text('{"question": "what does hello show", "answer": ["Adele"]}\n')
    steps = _load("flows/analyse.py:analyse")(questions=str(questions), k=1, home=str(home.root))
    assert [(step["predicate"], step["could mend"]) for step in steps] == [("wikidata/P175", 1)]


def test_only_an_outage_is_retried(
    prefect_api: None, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTMILL_SPARQL_ATTEMPTS", "1")
    settings.cache_clear()
    augment = _load("flows/augment.py:augment")
    tasks = augment.fn.__globals__
    tasks["stage_source"] = tasks["stage_source"].with_options(retry_delay_seconds=0)
    nowhere = f"http://127.0.0.1:{free_port()}/sparql"
    with pytest.raises(SourceUnavailable):
        augment(source="dbpedia", location=nowhere, predicates=["dbo:artist"], home=str(home.root))
    assert _n_attempts("stage dbpedia") == 4
    with pytest.raises(ConfigError, match="is not a folder"):
        augment(source="imdb", location=str(tmp_path / "none"), home=str(home.root))
    assert _n_attempts("stage imdb") == 1


def test_a_dump_at_an_address_is_fetched_and_staged(
    prefect_api: None, home: Home, dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTMILL_DOWNLOADS", str(tmp_path / "downloads"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    augment = _load("flows/augment.py:augment")
    tasks = augment.fn.__globals__
    tasks["fetch_source"] = tasks["fetch_source"].with_options(retry_delay_seconds=0, task_run_name="fetch the dump")
    with flaky_server() as server:
        server.files["dump.nt.gz"] = File(dump.read_bytes())
        # A wait as long as this is not waited for, and nobody asks again before.
        server.next(status(429, Retry_After="86400"), method="HEAD")
        with pytest.raises(SourceUnavailable, match="asks to wait 86,400 s"):
            augment(source="wikidata", location=server.url(), dry_run=True, home=str(home.root))
        assert _n_attempts("fetch the dump") == 1
        tasks["fetch_source"] = tasks["fetch_source"].with_options(task_run_name="fetch it now")
        results = augment(source="wikidata", location=server.url(), dry_run=True, home=str(home.root))
    assert [row["shard"] for row in results] == ["wikidata/P175", "wikidata/P31", "wikidata/P571", "wikidata/P577"]
    assert (tmp_path / "downloads" / "dump.nt.gz").read_bytes() == dump.read_bytes()
    assert _n_attempts("fetch it now") == 1


def _n_attempts(name: str) -> int:
    """Ask the server how often a task was started."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import TaskRunFilter, TaskRunFilterName

    with get_client(sync_client=True) as client:
        (run,) = client.read_task_runs(task_run_filter=TaskRunFilter(name=TaskRunFilterName(any_=[name])))
    return run.run_count


def test_a_flow_runs_from_an_installed_wheel(
    prefect_api: None, installed: Path, tmp_path: Path, dump: Path, clean_environment: dict[str, str]
) -> None:
    from prefect.settings import PREFECT_API_URL

    code = (
        "import json, sys\n"
        "from factmill.project import root\n"
        "from prefect.flows import load_flow_from_entrypoint as load\n"
        "flow = load(str(root() / 'flows' / 'augment.py') + ':augment', use_placeholder_flow=False)\n"
        "print(json.dumps([str(root()), flow(source='wikidata', location=sys.argv[1], home='home')]))\n"
    )
    environment = clean_environment | {"PREFECT_API_URL": str(PREFECT_API_URL.value())}
    done = subprocess.run(
        [installed / "python", "-c", code, str(dump)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    folder, results = json.loads(done.stdout.splitlines()[-1])
    assert folder.endswith("factmill/_project")
    assert [row["shard"] for row in results] == ["wikidata/P175", "wikidata/P31", "wikidata/P571", "wikidata/P577"]
