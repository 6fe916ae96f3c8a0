"""What a snapshot states and how it calls things, looked up for a few entities."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from factmill.errors import ConfigError
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.places import Claim, Place
from factmill.warehouse import Warehouse

Names = Mapping[str, tuple[str, ...]]
"""What entities are called, by id: the label first. Without a label there are no names."""
Claims = dict[str, list[Claim]]
"""What is stated, by the text of its place."""


class StagedClaims:
    """Reads the facts and the names of one snapshot."""

    def __init__(self, stage: Stage, scratch: Path) -> None:
        self._stage = stage
        self._scratch = scratch
        self._ids = stage.manifest.ids

    def names(self, ids: Iterable[str]) -> Names:
        """Return the names of those entities that are staged."""
        with Warehouse(self._scratch) as warehouse:
            warehouse.attach(self._stage)
            rows = self._run(warehouse, "names_of_ids", self._stored(ids))
        return {row["id"]: (row["label"], *row["aliases"]) if row["label"] else () for row in rows}

    def of_places(self, wanted: Mapping[Place, Iterable[str]]) -> dict[Place, Claims]:
        """Return for each place what is stated there, and elsewhere about the same ids, by place."""
        found: dict[Place, Claims] = {}
        for predicate in sorted({place.predicate for place in wanted}):
            places = [place for place in wanted if place.predicate == predicate]
            claims = self._of_predicate(predicate, places, {each for place in places for each in wanted[place]})
            found |= dict.fromkeys(places, claims)
        return found

    def _of_predicate(self, predicate: str, places: list[Place], ids: set[str]) -> Claims:
        claims: Claims = defaultdict(list)
        with Warehouse(self._scratch) as warehouse:
            warehouse.attach(
                self._stage, [self._ids.stored_predicate(ShardName(self._stage.manifest.source, predicate))]
            )
            rows = self._run(warehouse, "facts_of_ids", self._stored(ids))
            if missing := sorted({place.text for place in places} - {row["place"] for row in rows}):
                # Of another subject, whose name is the same.
                warehouse.load("wanted", pa.table({"text": pa.array(missing, pa.string())}))
                rows += self._run(warehouse, "facts_at_places")
        for row in rows:
            qualifiers = tuple((name, value) for name, value in row["qualifiers"])
            claims[row["place"]].append(Claim(row["subject"], row["predicate"], row["object"], qualifiers))
        return claims

    def _stored(self, ids: Iterable[str]) -> pa.Table:
        """Return ids as they are stored; what is none is a value."""
        stored = set()
        for text in ids:
            try:
                stored.add(self._ids.stored_entity(text))
            except ConfigError:
                continue
        return pa.table({"id": pa.array(sorted(stored, key=str), self._ids.entity_type)})

    def _run(self, warehouse: Warehouse, table: str, ids: pa.Table | None = None) -> list[dict[str, Any]]:
        try:
            if ids is not None:
                warehouse.load("wanted_ids", ids)
            warehouse.run(table)
            rows: list[dict[str, Any]] = warehouse.query(f"from {table}").to_pylist()
        except duckdb.Error as error:
            raise ConfigError(f"{self._stage.folder} is damaged. Delete that folder and stage again.") from error
        return rows
