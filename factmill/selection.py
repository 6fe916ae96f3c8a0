"""Selection: which predicates of a staged source are worth asking about, and why the others are not."""

from collections.abc import Collection
from dataclasses import dataclass

import pyarrow as pa

from factmill.home import Home
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.settings import settings
from factmill.templates import Template, catalogue
from factmill.warehouse import Warehouse


@dataclass(frozen=True)
class SelectedPredicate:
    """One shard that could be milled, with its figures; `reason` says why it is dropped."""

    shard: ShardName
    has_template: bool
    n_facts: int
    n_keys: int
    mean_answers: float
    max_answers: int
    labelled_share: float
    reason: str | None


def select_predicates(home: Home, source: str, only: Collection[str] | None = None) -> list[SelectedPredicate]:
    """Return every predicate that is staged, in each variant that has a template, the one with the most facts first.

    With `only` no other predicates are looked at, which takes a second even where the stage is large.
    """
    stage = Stage.current(home, source)
    templates = {
        shard: template
        for shard, template in catalogue().items()
        if shard.source == source and (only is None or shard.predicate in only)
    }
    with home.scratch() as scratch, Warehouse(scratch) as warehouse:
        stored = stage.manifest.ids.stored_predicate
        names = None if only is None else [stored(ShardName(source, predicate)) for predicate in sorted(only)]
        warehouse.attach(stage, names)
        warehouse.load("template_keys", _template_keys(stage, list(templates.values())))
        warehouse.run("predicate_statistics")
        warehouse.run("selected_predicates", max_mean_answers=settings().max_mean_answers)
        rows = warehouse.rows("selected_predicates")
    found = [(ShardName(source, predicate, variant or ""), figures) for predicate, variant, *figures in rows]
    return [SelectedPredicate(shard, shard in templates, *figures) for shard, figures in found]


def _template_keys(stage: Stage, templates: list[Template]) -> pa.Table:
    """Tell which qualifiers belong to the question key of each shard, and which is the answer if the object is not."""
    ids = stage.manifest.ids
    return pa.table(
        {
            "predicate": pa.array([ids.stored_predicate(t.shard) for t in templates], ids.predicate_type),
            "variant": pa.array([t.shard.variant or None for t in templates], pa.string()),
            "qualifiers": pa.array([list(t.key_variables) for t in templates], pa.list_(pa.string())),
            "answer": pa.array([t.matter.answer for t in templates], pa.string()),
            "inverse": pa.array([t.matter.inverse for t in templates], pa.bool_()),
        }
    )
