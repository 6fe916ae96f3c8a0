"""Selection: which predicates of a staged source are worth asking about, and why the others are not.

docs/selection.md explains the figures and the thresholds.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

from factmill.errors import ConfigError
from factmill.full_disk import full_disk_is_said
from factmill.home import Home
from factmill.manifest import Stage, staged_sources
from factmill.names import ShardName
from factmill.presets import Preset
from factmill.selection_figures import Row, SelectionFigures
from factmill.settings import settings
from factmill.templates import catalogue
from factmill.thresholds import Thresholds
from factmill.warehouse import Warehouse


@dataclass(frozen=True)
class SampleKey:
    """A question key, in the names of the subject and what the wording names beside it, and how many answers it has."""

    names: tuple[str, ...]
    n_answers: int


@dataclass(frozen=True)
class SelectedPredicate:
    """One shard that could be milled, with its figures; `reason` says why it is dropped.

    What is about linked subjects is None where there is no question set, `n_repairs` where there is no gap analysis.
    """

    shard: ShardName
    has_template: bool
    n_facts: int = 0
    n_keys: int = 0
    n_subjects: int = 0
    mean_answers: float = 0
    max_answers: int = 0
    labelled_share: float = 0
    ambiguous_share: float = 0
    popularity: int | None = None
    """Of the subject in the middle."""
    popularity_measure: str | None = None
    """sitelinks, source (what it gives, IMDb's votes) or statements (about and pointing to the subject)."""
    n_linked_subjects: int | None = None
    linked_share: float | None = None
    n_linked_keys: int | None = None
    linked_mean_answers: float | None = None
    linked_max_answers: int | None = None
    n_repairs: int | None = None
    reason: str | None = None
    missed: tuple[str, ...] = ()
    """The thresholds that it does not meet, also where a preset selects it nevertheless."""
    remark: str | None = None
    """Why it is selected although it does not meet all thresholds."""
    samples: tuple[SampleKey, ...] = ()
    """Some question keys with the most answers, where asked for."""

    @property
    def is_staged(self) -> bool:
        """Tell whether there are facts that could be asked: a preset may name predicates without."""
        return self.n_facts > 0


def select_predicates(
    home: Home,
    source: str,
    only: Collection[str] | None = None,
    *,
    linked: pa.Table | None = None,
    repairs: Mapping[ShardName, int] | None = None,
    preset: Preset | None = None,
    n_samples: int = 0,
) -> list[SelectedPredicate]:
    """Return every predicate that is staged, in each variant that has a template, the one with the most facts first.

    With `only` no other predicates are looked at. `linked` holds the ids, as they are staged, of the entities that a
    question set mentions, and `repairs` how many mistakes each shard could repair; a variant that is not among them
    counts as its predicate does. Predicates of the preset that are not staged come last, and say so.
    """
    stage = Stage.current(home, source)
    # An analysis of gaps that did not look into this source tells nothing about it.
    told = {shard: n for shard, n in (repairs or {}).items() if shard.source == source} or None
    templates = {
        shard: template
        for shard, template in catalogue().items()
        if shard.source == source and (only is None or shard.predicate in only)
    }
    with (
        full_disk_is_said(home),
        home.scratch() as scratch,
        Warehouse(scratch, megabytes=settings().memory_mb) as warehouse,
    ):
        figures = SelectionFigures(warehouse, scratch, stage, None if only is None else sorted(only))
        thresholds = preset.thresholds if preset else Thresholds.of_settings()
        chosen = list(templates.values())
        rows = figures.count(chosen, thresholds, linked=linked, repairs=told, n_samples=n_samples)
        samples = figures.samples(n_samples) if rows and n_samples else []
    found = [_selected(source, row, samples, templates) for row in rows]
    if preset is None or not preset.predicates:
        return found
    there = {row.shard for row in found}
    absent = [shard for shard in preset.predicates if shard.source == source and shard not in there]
    return [_as_pinned(row, preset) for row in found] + [
        SelectedPredicate(shard, shard in templates, reason="no fact of it is staged")
        for shard in absent
        if only is None or shard.predicate in only
    ]


def select_staged(
    home: Home,
    source: str | None = None,
    *,
    linked: Mapping[str, pa.Table] | None = None,
    repairs: Mapping[ShardName, int] | None = None,
    preset: Preset | None = None,
) -> list[SelectedPredicate]:
    """Return the predicates of every staged source, or of one; `linked` holds a table for each source."""
    sources = [source] if source else staged_sources(home)
    if not sources:
        raise ConfigError(
            f"nothing is staged in {home.root}. Run `factmill stage …` first; one that was stopped goes on."
        )
    rows = [
        row
        for name in sources
        for row in select_predicates(home, name, linked=(linked or {}).get(name), repairs=repairs, preset=preset)
    ]
    if preset is None or source:
        return rows
    templates = catalogue()
    return rows + [
        SelectedPredicate(shard, shard in templates, reason=f"nothing of {shard.source} is staged")
        for shard in preset.predicates
        if shard.source not in sources
    ]


def check_anything_left(rows: Collection[SelectedPredicate]) -> None:
    """Refuse thresholds that leave none of the predicates that have a template."""
    could = [row for row in rows if row.has_template and row.is_staged]
    if not could or any(row.reason is None for row in could):
        return
    missed = [name for row in could for name in row.missed]
    if missed:
        counts = {name: missed.count(name) for name in sorted(set(missed))}
        worst = max(counts, key=lambda name: counts[name])
        raise ConfigError(
            f"no predicate is left: of {len(could):,} that have a template {counts[worst]:,} do not meet {worst}."
            f" Change it (FACTMILL_{worst.upper()}, or in the preset); docs/selection.md explains it."
        )


def _selected(source: str, row: Row, samples: Collection[Row], templates: Collection[ShardName]) -> SelectedPredicate:
    shard = ShardName(source, row.pop("predicate"), row.pop("variant") or "")
    mine = [
        SampleKey(tuple(sample["names"]), sample["n_answers"])
        for sample in samples
        if (sample["predicate"], sample["variant"] or "") == (shard.predicate, shard.variant)
    ]
    row["missed"] = tuple(row["missed"])
    return SelectedPredicate(shard, shard in templates, **row, samples=tuple(mine))


def _as_pinned(row: SelectedPredicate, preset: Preset) -> SelectedPredicate:
    """Select a row if the preset lists it, and only then; what has no label on either side stays dropped."""
    if preset.leaves_out(row.shard):
        return replace(row, reason=f"not in the preset {preset.name}", missed=())
    if row.reason is None or row.labelled_share == 0:
        return row
    return replace(row, reason=None, remark=f"pinned by {preset.name}, although {row.reason}")
