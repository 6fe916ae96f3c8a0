"""Parties: staged entities that are persons or organisations, and all that they are called."""

from collections.abc import Collection, Mapping

import duckdb
import pyarrow as pa

from factmill.asked import SUBCLASS_OF
from factmill.errors import ConfigError
from factmill.facts import IdSpace
from factmill.home import Home
from factmill.linking.words import words_of
from factmill.manifest import Stage
from factmill.scoring.norm.descriptors import is_kind
from factmill.scoring.norm.full_names import full_name
from factmill.scoring.norm.signs import SIGNS, Signs
from factmill.settings import settings
from factmill.warehouse import Warehouse


def names_of_parties(home: Home, stage: Stage, entities: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the names of those of the entities that are persons or organisations, by id; label first."""
    if not entities:
        return {}
    signs, ids = SIGNS[stage.manifest.source], stage.manifest.ids
    wanted = pa.array(sorted(map(ids.stored_entity, entities), key=str), ids.entity_type)
    with home.scratch() as scratch, Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        try:
            warehouse.attach(stage, sorted(_predicates(signs, ids), key=str))
            warehouse.load("wanted_ids", pa.table({"id": wanted}))
            _load_signs(warehouse, signs, ids)
            warehouse.run("allowed_types")
            warehouse.run("named_parties")
            rows = warehouse.query("from named_parties").to_pylist()
        except duckdb.Error as error:
            raise ConfigError(f"{stage.folder} is damaged. Delete that folder and stage again.") from error
    return {row["id"]: _all_names(row["names"], row["label"], row["description"]) for row in rows}


def _all_names(names: list[str], label: str | None, description: str | None) -> tuple[str, ...]:
    """Add the full name that a description begins with, and the label as told from namesakes: "Tom Holland (actor)"."""
    if not label or not description:
        return tuple(names)
    full = full_name(description, label)
    kinds = filter(is_kind, words_of(description))
    return (*names, *([full] if full else []), *(f"{label} ({kind})" for kind in kinds))


def _predicates(signs: Signs, ids: IdSpace) -> set[int | str]:
    found = {*signs.of_subjects, *signs.of_objects}
    if signs.full_name is not None:
        found.add(signs.full_name)
    return found | {SUBCLASS_OF} if ids is IdSpace.WIKIDATA else found


def _load_signs(warehouse: Warehouse, signs: Signs, ids: IdSpace) -> None:
    telling = [*signs.of_subjects, *signs.of_objects]
    is_subject = [True] * len(signs.of_subjects) + [False] * len(signs.of_objects)
    predicates = pa.array(telling, ids.predicate_type)
    warehouse.load("telling", pa.table({"predicate": predicates, "is_subject": pa.array(is_subject, pa.bool_())}))
    full_names = [] if signs.full_name is None else [signs.full_name]
    warehouse.load("full_names", pa.table({"predicate": pa.array(full_names, ids.predicate_type)}))
    subclass_of = SUBCLASS_OF if ids is IdSpace.WIKIDATA else None
    asked = {
        "subject_types": pa.array([list(signs.types)], pa.list_(pa.string())),
        "subclass_of": pa.array([subclass_of], ids.predicate_type),
    }
    warehouse.load("asked", pa.table(asked))
