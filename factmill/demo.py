"""The demo: the whole path on the few hundred facts in demo/, in the order a user would take it."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from factmill import steps
from factmill.ablation.experiment import Experiment
from factmill.ablation.result import Ablation
from factmill.corpus import Corpus
from factmill.home import Home
from factmill.importing import import_base
from factmill.names import ShardName
from factmill.project import root
from factmill.results import Result
from factmill.search import Retriever
from factmill.sparql_server import sparql_server
from factmill.stage import StageResult, stage_dbpedia, stage_imdb, stage_wikidata
from factmill.templates import catalogue

Say = Callable[[str], None]

BASE = ShardName("paq", "base")
SAMPLES = (
    "wife of barack obama",
    "band behind hey jude",
    "the dude in the big lebowski was portrayed by",
)
_LANG = "en"


def run_demo(home: Home, say: Say, show: Callable[[Ablation], None]) -> None:
    """Stage three sources, mill them, index them, and show what each adds to the base."""
    folder = root() / "demo"
    before = Corpus(home).latest().number
    _step(say, "import", lambda: _import(home, folder))
    _step(say, "stage", lambda: _stage_all(home, folder))
    shards = steps.plan_all(home, None).chosen
    for source in sorted({shard.source for shard in shards}):
        _step(say, "augment", partial(_augment, home, [shard for shard in shards if shard.source == source]))
    _step(say, "index", lambda: _index(home))
    if Corpus(home).latest().number == before:
        say("Everything is up to date: no commit was made.")
    started = time.monotonic()
    ablation, report = steps.ablate(home, Experiment(questions=(folder / "questions.jsonl",), base=BASE))
    say(f"\nWhat each source adds ({time.monotonic() - started:.1f} s):")
    show(ablation)
    say("\nThree questions:")
    for question, results in zip(SAMPLES, Retriever(home).ask(SAMPLES, k=1), strict=True):
        say(_answer(question, results[0]))
    say(f"\nReport: {report}")
    say(f'Next: factmill ask --home {home.root} "…"')


def _step(say: Say, name: str, work: Callable[[], str]) -> None:
    started = time.monotonic()
    outcome = work()
    say(f"{name:8} {outcome} ({time.monotonic() - started:.1f} s)")


def _import(home: Home, folder: Path) -> str:
    written, _ = import_base(home, folder / "base.jsonl", BASE, "CC0-1.0")
    n_pairs = written.changes.n_added + written.changes.n_changed + written.changes.n_unchanged
    return f"{BASE}: {n_pairs:,} pairs{_unchanged(written.version is None)}"


def _stage_all(home: Home, folder: Path) -> str:
    predicates = [shard for shard in catalogue() if shard.source == "dbpedia"]
    with sparql_server(folder / "dbpedia.ttl") as endpoint:
        results = [
            stage_wikidata(home, folder / "wikidata.nt.gz", _LANG),
            stage_dbpedia(home, endpoint, predicates, _LANG),
            stage_imdb(home, folder / "imdb", _LANG),
        ]
    return ", ".join(map(_staged, results))


def _staged(result: StageResult) -> str:
    manifest = result.stage.manifest
    return f"{manifest.source}: {manifest.facts:,} facts{_unchanged(not result.is_new)}"


def _augment(home: Home, shards: list[ShardName]) -> str:
    results = [steps.augment(home, steps.resolve_template(shard, None)) for shard in shards]
    n_pairs = sum(result.n_pairs for result in results)
    n_refused = sum(sum(result.refused.values()) for result in results)
    unchanged = all(result.version is None for result in results)
    return (
        f"{shards[0].source}: {n_pairs:,} pairs in {len(shards)} shards, {n_refused:,} refused{_unchanged(unchanged)}"
    )


def _index(home: Home) -> str:
    results = list(steps.index_corpus(home))
    built = [result for result in results if result.was_built]
    return (
        f"{sum(r.n_rows for r in built):,} pairs encoded, {len(built)} of {len(results)} shards{_unchanged(not built)}"
    )


def _unchanged(yes: bool) -> str:
    return ", up to date" if yes else ""


def _answer(question: str, result: Result) -> str:
    hit = result.best
    fact = f"{hit.subject} {hit.shard.predicate} {', '.join(hit.objects[:2])}" if hit.subject else "no fact"
    return f"  {question}\n    {hit.answer}   ({hit.score:.2f}: {hit.question}; {hit.shard}: {fact})"
