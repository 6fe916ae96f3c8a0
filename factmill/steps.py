"""The steps of a run, as the command line and the flows call them.

augment = select, mill (render and verify), write the shard to the corpus, index it. Each step is complete in itself: a
run that stops between two of them is continued by running it again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from factmill.changes import Change, Changes
from factmill.corpus import Corpus, Origin, Preview, Written
from factmill.errors import ConfigError
from factmill.full_disk import full_disk_is_said
from factmill.home import Home
from factmill.manifest import Stage
from factmill.mill import Milled, mill
from factmill.names import ShardName
from factmill.presets import Preset
from factmill.progress import progress
from factmill.project import load_source
from factmill.rejects import Rejects, run_name
from factmill.selection import SelectedPredicate, check_anything_left, select_predicates, select_staged
from factmill.settings import settings
from factmill.stage import StageResult, stage_dbpedia, stage_dbpedia_files, stage_imdb, stage_wikidata
from factmill.templates import Template, catalogue, find_template, read_template, template_for
from factmill.view_rows import update_views
from factmill.views import read_views
from factmill.warehouse import Warehouse

if TYPE_CHECKING:
    from factmill.ablation.experiment import Experiment
    from factmill.ablation.result import Ablation
    from factmill.analysis import Analysis
    from factmill.index import IndexedShard


_LEAST_PREVIEWED = 1_000
"""Subjects that a preview looks at, so that a few pairs come out even where most facts are refused."""
_PREVIEWED_A_PAIR = 20
_OTHERWISE = {"max": "Raise", "min": "Lower"}
"""What to do about a threshold that is not met."""


@dataclass(frozen=True)
class Augmented:
    """What an augment run did to one shard, or would do; `version` is None if nothing was written."""

    shard: ShardName
    n_facts: int
    n_keys: int
    n_pairs: int
    n_repeated: int
    n_merged: int
    n_hinted: int
    refused: dict[str, int]
    rejects: Path | None
    changes: Changes
    version: int | None
    is_new: bool
    sample: list[tuple[str, str]]
    change_samples: list[Change]
    """Some pairs that a dry run would add, change or retire."""


@dataclass(frozen=True)
class Indexed:
    """What an index run did to one shard."""

    shard: ShardName
    n_rows: int
    n_encoded: int
    was_built: bool


def stage_source(home: Home, source: str, location: str, predicates: Sequence[str]) -> StageResult:
    """Stage a dump file, an endpoint or a folder, whatever the source reads."""
    lang = settings().lang
    if source == "wikidata":
        return stage_wikidata(home, Path(location), lang, workers=settings().n_workers)
    if source == "imdb":
        return stage_imdb(home, Path(location), lang, min_votes=settings().imdb_min_votes)
    if source == "dbpedia":
        read = load_source(source).parse_predicate
        named = [read(predicate) for predicate in predicates] or [s for s in catalogue() if s.source == source]
        if not is_web_address(location):
            return stage_dbpedia_files(home, [Path(location)], named, lang)
        return stage_dbpedia(home, location, named, lang, abstracts=want_abstracts(named))
    raise ConfigError(f"there is no way to stage {source[:80]!r}. There are wikidata, dbpedia and imdb.")


def is_web_address(location: str) -> bool:
    """Tell an address from a path."""
    return location.startswith(("http://", "https://"))


def want_abstracts(shards: Iterable[ShardName]) -> bool:
    """Tell whether a template of these shards asks for descriptions, which DBpedia has as abstracts."""
    templates = catalogue()
    return any(templates[shard].wants_description for shard in shards if shard in templates)


def fetch_if_remote(source: str, location: str, tell: Callable[[str], None] = lambda _: None) -> str:
    """Return where to stage a source from: files at a web address are fetched first, an endpoint stays where it is."""
    if source == "dbpedia" or not is_web_address(location):
        return location
    from factmill.fetch import fetch_imdb, fetch_wikidata

    if source == "imdb":
        return str(fetch_imdb(location, tell=tell)[0].path.parent)
    return str(fetch_wikidata(location, tell=tell).path)


@dataclass(frozen=True)
class Plan:
    """What milling everything means: these shards, without those, and the ones that are gone from their source."""

    chosen: list[ShardName]
    dropped: list[SelectedPredicate]
    vanished: list[ShardName]


def plan_all(home: Home, source: str | None, preset: Preset | None = None) -> Plan:
    """Plan for all staged sources, or for one; of those that are in a preset, or of all that are selected."""
    rows = select_staged(home, source, preset=preset)
    check_anything_left(rows)
    with_template = [row for row in rows if row.has_template]
    chosen = sorted(row.shard for row in with_template if row.reason is None)
    if not chosen:
        command = f"factmill select --preset {preset.name}" if preset else "factmill select"
        raise ConfigError(f"no staged predicate is both selected and has a template. See `{command}`.")
    wanted = [row for row in with_template if preset is None or not preset.leaves_out(row.shard)]
    dropped = [row for row in wanted if row.reason is not None]
    staged = {(row.shard.source, row.shard.predicate) for row in rows if row.is_staged}
    whole = {name for name in {name for name, _ in staged} if _is_whole(home, name)}
    present = Corpus(home).latest().shards()
    vanished = [s for s in present if s.source in whole and (s.source, s.predicate) not in staged]
    return Plan(chosen, dropped, vanished)


def _is_whole(home: Home, source: str) -> bool:
    """Tell whether a predicate that is not staged is gone from its source."""
    manifest = Stage.current(home, source).manifest
    is_scoped = manifest.only or manifest.questions or manifest.titles or manifest.min_votes is not None
    return bool(load_source(source).INFO.is_whole and not is_scoped)


def retire(home: Home, shard: ShardName, run: str) -> Written:
    """Take all pairs of a shard out of the corpus; earlier versions keep them."""
    return Corpus(home).drop(shard, Origin(run_name(run), snapshot="", template_digest="", licence=None))


def resolve_template(shard: ShardName, file: Path | None) -> Template:
    """Return the shard's template from this file, or from the project's own."""
    if file is None:
        return template_for(shard)
    template = read_template(file)
    if template.shard != shard:
        raise ConfigError(f"{file} is for {template.shard}, not for {shard}.")
    return template


def check_selected(home: Home, shards: Iterable[ShardName]) -> None:
    """Refuse shards whose predicate is not staged or was dropped by the selection, with the reason."""
    named = list(shards)
    by_source = {
        source: select_predicates(home, source, {shard.predicate for shard in named if shard.source == source})
        for source in {shard.source for shard in named}
    }
    for shard in named:
        rows = [row for row in by_source[shard.source] if row.shard.predicate == shard.predicate]
        if not rows:
            raise ConfigError(f"no fact of {shard} is staged. {_advice(shard)}")
        # A template that is not the project's may ask a variant that the selection does not know.
        row = next((row for row in rows if row.shard == shard), rows[0])
        if row.reason is not None:
            advice = "".join(
                f" {_OTHERWISE[name[:3]]} FACTMILL_{name.upper()} to ask it anyway." for name in row.missed
            )
            raise ConfigError(f"{shard} is not worth asking: {row.reason}.{advice}")


def _advice(shard: ShardName) -> str:
    template = catalogue().get(shard)
    if shard.source == "wikidata" and template and template.needs_qualifiers:
        return f"It needs qualifiers: stage with --second and --qualified {shard.predicate}, see docs/wikidata.md."
    return f"See `factmill select --source {shard.source}`."


def augment(home: Home, template: Template, *, dry_run: bool = False) -> Augmented:
    """Bring one shard of the corpus up to date with what is staged; a dry run tells what that would change."""
    shard = template.shard
    stage = Stage.current(home, shard.source)
    corpus = Corpus(home)
    what = f"augment-{shard.source}-{shard.folder}"
    with (
        full_disk_is_said(home),
        home.scratch() as scratch,
        Rejects.of_run(home, what, keep=not dry_run) as rejects,
    ):
        milled = mill(stage, template, rejects, scratch)
        origin = Origin(rejects.run, stage.manifest.snapshot, template.digest, stage.manifest.licence)
        if dry_run:
            preview = corpus.preview(shard, milled.rows, origin)
            return _augmented(milled, template, rejects, preview, scratch)
        written = corpus.write(shard, milled.rows, origin)
        if written.version is None:
            rejects.discard()
        elif milled.n_pairs and read_views(home):
            list(update_views(home, [shard]))
        return _augmented(milled, template, rejects, written, scratch)


def _augmented(
    milled: Milled, template: Template, rejects: Rejects, outcome: Written | Preview, scratch: Path
) -> Augmented:
    version = None if isinstance(outcome, Preview) else outcome.version
    return Augmented(
        shard=template.shard,
        n_facts=milled.n_facts,
        n_keys=milled.n_keys,
        n_pairs=milled.n_pairs,
        n_repeated=milled.n_repeated,
        n_merged=milled.n_merged,
        n_hinted=milled.n_hinted,
        refused=dict(sorted(rejects.counts.items())),
        rejects=rejects.file,
        changes=outcome.changes,
        version=version,
        is_new=outcome.would_write if isinstance(outcome, Preview) else version is not None,
        sample=[(row["question"], row["answer"][0]) for row in _best_known(milled, 5, scratch)],
        change_samples=outcome.samples if isinstance(outcome, Preview) else [],
    )


def _best_known(milled: Milled, n: int, scratch: Path) -> list[dict[str, Any]]:
    """Return the pairs about the best known subjects."""
    with Warehouse(scratch) as warehouse:
        warehouse.view("milled_pairs", milled.file)
        warehouse.run("best_known_pairs", n=n)
        rows = warehouse.query("from best_known_pairs").to_pylist()
    return cast(list[dict[str, Any]], rows)


@dataclass(frozen=True)
class PairsPreview:
    """The first pairs that a template makes, and what becomes of the facts about the best known subjects."""

    shard: ShardName
    label: str
    pairs: list[dict[str, Any]]
    n_facts: int
    n_pairs: int
    refused: dict[str, int]


def preview(home: Home, template: str, n: int) -> PairsPreview:
    """Render a template, named by shard, predicate or file, on the facts about the best known subjects."""
    chosen = find_template(template)
    stage = Stage.current(home, chosen.shard.source)
    with home.scratch() as scratch, Rejects.of_run(home, "preview", keep=False) as rejects:
        milled = mill(stage, chosen, rejects, scratch, best_known=max(_LEAST_PREVIEWED, _PREVIEWED_A_PAIR * n))
        rows = _best_known(milled, n, scratch)
    refused = dict(sorted(rejects.counts.items()))
    if not rows:
        reasons = "; ".join(f"{count:,} × {reason}" for reason, count in refused.items())
        raise ConfigError(f"{chosen.shard} gives no pair: {reasons or 'no fact of it is staged'}.")
    return PairsPreview(chosen.shard, chosen.matter.label, rows, milled.n_facts, milled.n_pairs, refused)


def unindexed_shards(home: Home) -> list[ShardName]:
    """Name the shards of the corpus that were never indexed, or not as they are now."""
    from factmill.encoders import open_encoder
    from factmill.index_files import IndexFolder

    encoder = open_encoder(settings().encoder)
    shards = Corpus(home).latest().shards()
    return [s for s, digest in shards.items() if not IndexFolder.of(home, encoder.name, s).current(encoder, digest)]


def check_present(home: Home, shards: Iterable[ShardName]) -> None:
    """Refuse shards that the corpus does not have."""
    present = Corpus(home).latest().shards()
    if missing := sorted(str(shard) for shard in shards if shard not in present):
        raise ConfigError(f"the corpus has no shard {', '.join(missing)}. See `factmill corpus log`.")


def index_corpus(
    home: Home,
    only: Iterable[ShardName] | None = None,
    *,
    rebuild: bool = False,
    check: bool = False,
    encoder: str | None = None,
) -> Iterator[Indexed]:
    """Index what is missing or stale, and nothing else; all of it if told to rebuild. Shards are built side by side.

    To check means to read all that is there, and to build what is damaged too.
    """
    from factmill.encoders import open_encoder
    from factmill.index import Indexer, clear_dropped

    corpus = Corpus(home).latest()
    present = corpus.shards()
    if not present and only is None:
        raise ConfigError("the corpus is empty. Add pairs with `factmill augment` or `factmill corpus import` first.")
    wanted = [shard for shard in present if only is None or shard in only]
    chosen = open_encoder(encoder or settings().encoder)
    n_pairs = {shard: sum(file.n_rows for file in corpus.files(shard)) for shard in wanted}
    with (
        progress("indexing", sum(n_pairs.values()), "pairs") as advance,
        Indexer(home, chosen, corpus, advance) as indexer,
        ThreadPoolExecutor(settings().n_threads) as pool,
    ):
        # The largest first, or all would wait for it in the end.
        futures = {
            shard: pool.submit(indexer.update, shard, rebuild=rebuild, check=check)
            for shard in sorted(wanted, key=lambda shard: -n_pairs[shard])
        }
        try:
            for shard in wanted:
                done = _result(futures[shard], list(futures.values()))
                yield Indexed(shard, done.n_rows, done.n_encoded, was_built=done.n_new_segments > 0)
        except BaseException:
            indexer.stop()
            pool.shutdown(cancel_futures=True)
            raise
    if only is None:
        clear_dropped(home, chosen.name, corpus)


def _result(future: "Future[IndexedShard]", others: "Sequence[Future[IndexedShard]]") -> "IndexedShard":
    """Return what a build gives. If it was stopped because another one failed, raise what that one raised."""
    from factmill.segment_builder import Stopped

    try:
        return future.result()
    except Stopped:
        errors = [other.exception() for other in wait(others).done if not other.cancelled()]
        raise next((error for error in errors if error and not isinstance(error, Stopped)), Stopped()) from None


def analyse(
    home: Home, questions: Path, *, k: int = 5, sources: Sequence[str] = (), n_errors: int = 100
) -> "tuple[Analysis, Path]":
    """Evaluate the corpus and find the facts that would mend mistakes; return the analysis and its report."""
    from factmill.analysis import analyse as find
    from factmill.analysis import sources_to_search, write_analysis
    from factmill.encoders import open_encoder
    from factmill.evaluate import evaluate
    from factmill.questions import read_questions

    searched = sources_to_search(home, sources)
    assessed = evaluate(home, read_questions(questions))
    analysis = find(home, assessed, k, open_encoder(settings().encoder), searched)
    return analysis, write_analysis(home, analysis, n_errors)


def ablate(home: Home, experiment: "Experiment", *, save: bool = False) -> "tuple[Ablation, Path]":
    """Run an experiment, and keep the cures that it chose if told to; return the result and its report."""
    from factmill.ablation.run import run_experiment
    from factmill.report import write_report

    ablation = run_experiment(home, experiment, save=save)
    return ablation, write_report(home, ablation)
