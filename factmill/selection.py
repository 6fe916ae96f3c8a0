"""Selection: which predicates of a staged source are worth asking about, and why the others are not."""

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
    """One predicate of a source with its figures; `reason` says why it is dropped."""

    shard: ShardName
    has_template: bool
    n_facts: int
    n_keys: int
    mean_answers: float
    max_answers: int
    labelled_share: float
    reason: str | None


def select_predicates(home: Home, source: str) -> list[SelectedPredicate]:
    """Return every predicate that is staged, the one with the most facts first."""
    stage = Stage.current(home, source)
    templates = [template for template in catalogue().values() if template.shard.source == source]
    with home.scratch() as scratch, Warehouse(scratch) as warehouse:
        warehouse.attach(stage)
        warehouse.load("key_qualifiers", _key_qualifiers(stage, templates))
        warehouse.run("predicate_statistics")
        warehouse.run("selected_predicates", max_mean_answers=settings().max_mean_answers)
        rows = warehouse.rows("selected_predicates")
    asked = {template.shard for template in templates}
    shards = [ShardName(source, predicate) for predicate, *_ in rows]
    return [
        SelectedPredicate(shard, shard in asked, *figures) for shard, (_, *figures) in zip(shards, rows, strict=True)
    ]


def _key_qualifiers(stage: Stage, templates: list[Template]) -> pa.Table:
    """Tell which qualifiers belong to the question key of a predicate."""
    ids = stage.manifest.ids
    keyed = [template for template in templates if template.matter.qualifiers]
    return pa.table(
        {
            "predicate": pa.array([ids.stored_predicate(template.shard) for template in keyed], ids.predicate_type),
            "names": pa.array([sorted(t.matter.qualifiers.values()) for t in keyed], pa.list_(pa.string())),
        }
    )
