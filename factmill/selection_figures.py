"""The figures of the selection, counted in bounded memory: sql/predicate_statistics.sql and what it reads.

A fact is counted once for each template of its predicate. What is known about its subject is joined to it, in numbers
only, and written to a folder for each bucket of subjects; what the buckets give is then added up. So nothing larger
than a bucket is in memory, however large the stage is.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from factmill.facts import IdSpace
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.templates import Template
from factmill.thresholds import Thresholds
from factmill.warehouse import Warehouse

_FACTS_A_BUCKET = 3_000_000

Row = dict[str, Any]


class SelectionFigures:
    """Counts the predicates of one stage, or only some of them."""

    def __init__(self, warehouse: Warehouse, scratch: Path, stage: Stage, only: Sequence[str] | None = None) -> None:
        self._warehouse = warehouse
        self._source = stage.manifest.source
        self._ids = stage.manifest.ids
        self._facts, self._figures, self._popularity, self._crowded = (
            scratch / name for name in ("facts", "figures", "popularity", "crowded")
        )
        warehouse.attach(
            stage,
            None if only is None else [self._ids.stored_predicate(ShardName(self._source, name)) for name in only],
        )

    def count(
        self,
        templates: Sequence[Template],
        thresholds: Thresholds,
        *,
        linked: pa.Table | None = None,
        repairs: Mapping[ShardName, int] | None = None,
        n_samples: int = 0,
    ) -> list[Row]:
        """Return the rows of sql/selected_predicates.sql, the one with the most facts first."""
        warehouse = self._warehouse
        warehouse.load("template_keys", template_keys(self._ids, templates))
        ids = pa.chunked_array([], self._ids.entity_type) if linked is None else linked["id"]
        warehouse.load("linked_entities", pa.table({"id": ids.cast(self._ids.entity_type)}))
        warehouse.run("candidate_shards")
        warehouse.load("repairs", self._repairs(repairs))
        for folder in self._write_buckets():
            self._count_bucket(folder, n_samples)
        if not any(self._figures.iterdir()):
            return []
        warehouse.view("all_bucket_figures", *sorted(self._figures.iterdir()))
        warehouse.view("all_bucket_popularity", *sorted(self._popularity.iterdir()))
        warehouse.run("predicate_statistics")
        warehouse.run("selected_predicates", **asdict(thresholds))
        rows: list[Row] = warehouse.query("from selected_predicates").to_pylist()
        return sorted(rows, key=lambda row: (-row["n_facts"], row["predicate"], row["variant"] or ""))

    def samples(self, n_samples: int) -> list[Row]:
        """Return the question keys with the most answers of each shard, after a count that kept as many."""
        self._warehouse.view("all_crowded_keys", *sorted(self._crowded.iterdir()))
        self._warehouse.run("sample_keys", n_samples=n_samples)
        rows: list[Row] = self._warehouse.query("from sample_keys").to_pylist()
        return sorted(rows, key=lambda row: (-row["n_answers"], row["names"]))

    def _repairs(self, repairs: Mapping[ShardName, int] | None) -> pa.Table:
        """Give each shard the mistakes that it could repair: what is told of it, or else of its predicate."""
        rows = []
        if repairs is not None:
            found = self._warehouse.query(
                "select predicate_text(predicate) as predicate, variant from candidate_shards"
            )
            for predicate, variant in zip(*(found[name].to_pylist() for name in found.column_names), strict=True):
                n = repairs.get(ShardName(self._source, predicate), 0)
                rows.append((predicate, variant, repairs.get(ShardName(self._source, predicate, variant or ""), n)))
        names = ["predicate", "variant", "n_repairs"]
        fields = zip(names, (pa.string(), pa.string(), pa.int64()), strict=True)
        return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], schema=pa.schema(fields))

    def _write_buckets(self) -> list[Path]:
        """Write what is counted to a folder for each bucket; return the folders."""
        warehouse = self._warehouse
        n_facts = warehouse.number("select coalesce(sum(n_facts), 0) from candidate_shards")
        warehouse.load("parts", pa.table({"n_parts": [max(1, -(-n_facts // _FACTS_A_BUCKET))]}))
        for name in ("candidate_facts", "weighed_facts"):
            warehouse.run(name)
        for folder in (self._facts, self._figures, self._popularity, self._crowded):
            folder.mkdir()
        warehouse.copy_to_folders("weighed_facts", self._facts, by="bucket")
        return sorted(self._facts.glob("bucket=*"))

    def _count_bucket(self, folder: Path, n_samples: int) -> None:
        warehouse = self._warehouse
        warehouse.view("bucket_facts", *sorted(folder.iterdir()))
        for name in ("bucket_keys", "bucket_subjects", "bucket_figures", "bucket_popularity"):
            warehouse.run(name)
        file = f"{folder.name}.parquet"
        warehouse.copy_to_parquet("bucket_figures", self._figures / file)
        warehouse.copy_to_parquet("bucket_popularity", self._popularity / file)
        if n_samples:
            warehouse.run("crowded_keys", n_samples=n_samples)
            warehouse.copy_to_parquet("crowded_keys", self._crowded / file)
        warehouse.drop("bucket_keys", "bucket_subjects")
        shutil.rmtree(folder)


def template_keys(ids: IdSpace, templates: Sequence[Template]) -> pa.Table:
    """Tell which qualifiers belong to the question key of each shard, and which is the answer if the object is not."""
    return pa.table(
        {
            "predicate": pa.array([ids.stored_predicate(t.shard) for t in templates], ids.predicate_type),
            "variant": pa.array([t.shard.variant or None for t in templates], pa.string()),
            "qualifiers": pa.array([list(t.key_variables) for t in templates], pa.list_(pa.string())),
            "answer": pa.array([t.matter.answer for t in templates], pa.string()),
            "inverse": pa.array([t.matter.inverse for t in templates], pa.bool_()),
        }
    )
