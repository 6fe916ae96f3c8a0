"""The steps of a run, as the command line and the flows call them.

augment = select, mill (render and verify), write the shard to the corpus, index it. Each step is complete in itself: a
run that stops between two of them is continued by running it again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from factmill.corpus import Changes, Corpus, Origin
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.manifest import Stage, staged_sources
from factmill.mill import Milled, mill
from factmill.names import ShardName
from factmill.rejects import Rejects
from factmill.selection import SelectedPredicate, select_predicates
from factmill.settings import settings
from factmill.stage import StageResult, stage_dbpedia, stage_imdb, stage_wikidata
from factmill.templates import Template, catalogue, find_template, read_template, template_for

if TYPE_CHECKING:
    from factmill.ablate import Ablation


@dataclass(frozen=True)
class Augmented:
    """What an augment run did to one shard; `version` is None if nothing had to be written."""

    shard: ShardName
    n_facts: int
    n_keys: int
    n_pairs: int
    n_merged: int
    refused: dict[str, int]
    rejects: Path | None
    changes: Changes
    version: int | None
    sample: list[tuple[str, str]]


@dataclass(frozen=True)
class Indexed:
    """What an index run did to one shard."""

    shard: ShardName
    n_rows: int
    was_built: bool


def stage_source(home: Home, source: str, location: str, predicates: Sequence[str]) -> StageResult:
    """Stage a dump file, an endpoint or a folder, whatever the source reads."""
    lang = settings().lang
    if source == "wikidata":
        return stage_wikidata(home, Path(location), lang)
    if source == "imdb":
        return stage_imdb(home, Path(location), lang)
    if source == "dbpedia":
        named = [ShardName(source, predicate) for predicate in predicates]
        return stage_dbpedia(home, location, named or [s for s in catalogue() if s.source == source], lang)
    raise ConfigError(f"there is no way to stage {source[:80]!r}. There are wikidata, dbpedia and imdb.")


def shards_to_augment(home: Home, source: str | None) -> list[ShardName]:
    """Return the shards of staged sources that were selected and have a template."""
    sources = [source] if source else staged_sources(home)
    chosen = [
        row.shard
        for name in sources
        for row in select_predicates(home, name)
        if row.reason is None and row.has_template
    ]
    if not chosen:
        raise ConfigError("no staged predicate is both selected and has a template. See `factmill select`.")
    return sorted(chosen)


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
    by_source: dict[str, list[SelectedPredicate]] = {}
    for shard in shards:
        if shard.source not in by_source:
            by_source[shard.source] = select_predicates(home, shard.source)
        rows = [row for row in by_source[shard.source] if row.shard.predicate == shard.predicate]
        if not rows:
            raise ConfigError(f"no fact of {shard} is staged. See `factmill select --source {shard.source}`.")
        # A template that is not the project's may ask a variant that the selection does not know.
        row = next((row for row in rows if row.shard == shard), rows[0])
        if row.reason is not None:
            raise ConfigError(
                f"{shard} is not worth asking: {row.reason}. Raise FACTMILL_MAX_MEAN_ANSWERS to ask it anyway."
            )


def augment(home: Home, template: Template, *, dry_run: bool = False) -> Augmented:
    """Bring one shard of the corpus up to date with what is staged; a dry run tells what that would change."""
    shard = template.shard
    stage = Stage.current(home, shard.source)
    corpus = Corpus(home)
    what = f"augment-{shard.source}-{shard.folder}"
    with home.scratch() as scratch, Rejects(home, what, keep=not dry_run) as rejects:
        milled = mill(stage, template, rejects, scratch)
        if dry_run:
            return _augmented(milled, template, rejects, corpus.preview(shard, milled.pairs), None)
        origin = Origin(rejects.run, stage.manifest.snapshot, template.digest, stage.manifest.licence)
        written = corpus.write(shard, milled.pairs, origin)
        return _augmented(milled, template, rejects, written.changes, written.version)


def _augmented(
    milled: Milled, template: Template, rejects: Rejects, changes: Changes, version: int | None
) -> Augmented:
    return Augmented(
        shard=template.shard,
        n_facts=milled.n_facts,
        n_keys=milled.n_keys,
        n_pairs=milled.pairs.num_rows,
        n_merged=milled.n_merged,
        refused=dict(sorted(rejects.counts.items())),
        rejects=rejects.file,
        changes=changes,
        version=version,
        sample=[(row["question"], row["answer"][0]) for row in _best_known(milled.pairs, 5)],
    )


def _best_known(pairs: pa.Table, n: int) -> list[dict[str, Any]]:
    """Return the pairs about the best known subjects."""
    rows = pairs.sort_by([("popularity", "descending"), ("qa_id", "ascending")]).slice(0, n).to_pylist()
    return cast(list[dict[str, Any]], rows)


def preview(home: Home, template: str, n: int) -> list[dict[str, Any]]:
    """Return the first pairs that a template makes of the staged facts; it is named by shard, predicate or file."""
    chosen = find_template(template)
    stage = Stage.current(home, chosen.shard.source)
    with home.scratch() as scratch, Rejects(home, "preview", keep=False) as rejects:
        rows = _best_known(mill(stage, chosen, rejects, scratch).pairs, n)
    if not rows:
        reasons = "; ".join(f"{n:,} × {reason}" for reason, n in sorted(rejects.counts.items()))
        raise ConfigError(f"{chosen.shard} gives no pair: {reasons or 'no fact of it is staged'}.")
    return rows


def index_corpus(home: Home, only: Iterable[ShardName] | None = None, *, rebuild: bool = False) -> Iterator[Indexed]:
    """Index the shards that are missing or stale, and nothing else; all of them if told to rebuild."""
    from factmill.encoders import default_encoder
    from factmill.index import IndexFolder, build

    corpus = Corpus(home).latest()
    present = corpus.shards()
    if not present and only is None:
        raise ConfigError("the corpus is empty. Add pairs with `factmill augment` or `factmill corpus import` first.")
    encoder = default_encoder()
    for shard, digest in present.items():
        if only is not None and shard not in only:
            continue
        folder = IndexFolder.of(home, encoder.name, shard)
        if not rebuild and folder.is_current(encoder, digest):
            manifest = folder.manifest()
            yield Indexed(shard, manifest.rows if manifest else 0, was_built=False)
        else:
            yield Indexed(shard, build(home, encoder, corpus, shard).rows, was_built=True)


def ablate(home: Home, questions: Path, base: str) -> "tuple[Ablation, Path]":
    """Measure what each source adds to the base; return the result and its report."""
    from factmill.ablate import ablate_by_source
    from factmill.questions import read_questions
    from factmill.report import write_report

    ablation = ablate_by_source(home, read_questions(questions), ShardName.parse(base))
    return ablation, write_report(home, ablation)
