"""The selection over 2,000 predicates with every figure, against some of them counted by polars in memory.

We also get a question set that mentions one entity in a thousand, and mistakes that could be repaired. polars gets a
smaller stage, because it would not fit into memory with ours, and counts predicates as they are staged, without their
variants and without the question set. What both count must be equal.

    python -m benchmarks.bench_select                    # 20 million facts, 10 million labels: minutes, 1 GB of disk
    python -m benchmarks.bench_select --facts 200000 --labels 100000
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.cost import Cost, cost_of
from benchmarks.large_stage import write_stage_of_predicates
from factmill.home import Home
from factmill.manifest import Stage
from factmill.selection import select_predicates
from factmill.templates import catalogue

AIM_SECONDS = 90
AIM_GIGABYTES = 2.0
N_PREDICATES = 2_000
POLARS_FACTS = 4_000_000
FIGURES = ("n_facts", "n_keys", "mean_answers", "max_answers", "labelled_share", "ambiguous_share", "popularity")


def main(words: list[str] | None = None) -> None:
    """Print what the selection costs, and its ratio to polars."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=20_000_000)
    parser.add_argument("--labels", type=int, default=10_000_000)
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        _write_home(folder / "large", chosen.facts, chosen.labels)
        cost, found = _cost_of("selected", folder / "large")
        print(f"{chosen.facts:,} facts of {N_PREDICATES:,} predicates, {chosen.labels:,} labels: {len(found):,} shards")
        print(f"selected: {cost.wall:.1f} s, {cost.cpu:.1f} s of the processors; aim {AIM_SECONDS} s")
        print(f"memory: {cost.peak_bytes / 1e9:.2f} GB; aim {AIM_GIGABYTES:.0f}")
        _compare(folder, min(POLARS_FACTS, chosen.facts), min(POLARS_FACTS // 2, chosen.labels))


def _compare(folder: Path, n_facts: int, n_labels: int) -> None:
    _write_home(folder / "small", n_facts, n_labels)
    ours, found = _cost_of("selected", folder / "small")
    theirs, expected = _cost_of("polars", folder / "small")
    if differing := [key for key in expected if found[key] != expected[key]]:
        key = differing[0]
        raise SystemExit(f"P{key}: the selection finds {found[key]}, polars {expected[key]}")
    n_more = len(found) - len(expected)
    print(f"{n_facts:,} facts: {len(expected):,} predicates have equal figures; {n_more:,} variants are counted beside")
    for side, cost in (("selected", ours), ("polars", theirs)):
        print(f"{side}: {cost.wall:.1f} s, {cost.cpu:.1f} s of the processors, {cost.peak_bytes / 1e9:.2f} GB")
    print(f"ratio: {theirs.wall / ours.wall:.2f}, of the memory {theirs.peak_bytes / ours.peak_bytes:.2f}")


def _write_home(folder: Path, n_facts: int, n_labels: int) -> None:
    """Write a home with a stage in which the predicates that have templates are the largest."""
    home = Home.open(folder, create=True)
    asked = dict.fromkeys(int(shard.predicate[1:]) for shard in catalogue() if shard.source == "wikidata")
    others = (number for number in range(10, 10_000) if number not in asked)
    predicates = [*asked, *others][:N_PREDICATES]
    write_stage_of_predicates(home.staged("wikidata") / "0", predicates, n_facts, n_labels).make_current(home)


def _cost_of(side: str, home: Path) -> tuple[Cost, dict[str, list[float]]]:
    """Run one side in a process of its own; return what it cost and found."""
    code = "import sys; from benchmarks import bench_select; bench_select.run_side(*sys.argv[1:])"
    cost = cost_of([sys.executable, "-c", code, side, str(home)])
    return cost, json.loads((home / f"{side}.json").read_text())


def run_side(side: str, home: str) -> None:
    """Be the process of one side: write down the figures of each shard it counts."""
    found = {"selected": _selected, "polars": _by_polars}[side](Home.open(Path(home)))
    (Path(home) / f"{side}.json").write_text(json.dumps(found))


def _selected(home: Home) -> dict[str, list[float]]:
    n_labels = Stage.current(home, "wikidata").manifest.entities
    ids = pa.array(range(1, n_labels, 1000), pa.int64())
    linked = pa.table({"id": ids, "n_questions": [1] * len(ids)})
    repairs = dict.fromkeys(catalogue(), 7)
    rows = select_predicates(home, "wikidata", linked=linked, repairs=repairs)
    return {row.shard.key[1:]: _rounded(getattr(row, name) for name in FIGURES) for row in rows}


def _by_polars(home: Home) -> dict[str, list[float]]:
    import polars as pl

    stage = Stage.current(home, "wikidata")
    entities = pl.read_parquet(stage.entities / "*.parquet", columns=["id", "label", "popularity"])
    facts = pl.read_parquet(stage.facts / "*.parquet", columns=["predicate", "subject", "object", "value"]).unique()
    known = entities.select(subject="id", name=pl.col("label").str.to_lowercase(), popularity="popularity")
    labelled = entities.select(object="id", labelled=pl.col("label").is_not_null())
    rows = facts.join(known, on="subject", how="left").join(labelled, on="object", how="left")
    is_labelled = pl.col("name").is_not_null() & (pl.col("object").is_null() | pl.col("labelled"))
    keys = rows.group_by("predicate", "subject").agg(
        n=pl.len(), n_labelled=is_labelled.sum(), name=pl.col("name").first(), popularity=pl.col("popularity").first()
    )
    named = keys.drop_nulls("name").group_by("predicate", "name").len("n")
    ambiguous = named.group_by("predicate").agg(
        ambiguous_share=pl.col("n").filter(pl.col("n") > 1).sum() / pl.col("n").sum()
    )
    figures = keys.group_by("predicate").agg(
        n_facts=pl.col("n").sum(),
        n_keys=pl.len(),
        mean_answers=pl.col("n").mean(),
        max_answers=pl.col("n").max(),
        labelled_share=pl.col("n_labelled").sum() / pl.col("n").sum(),
        popularity=pl.col("popularity").quantile(0.5, "lower"),
    )
    found = figures.join(ambiguous, on="predicate", how="left").with_columns(pl.col("ambiguous_share").fill_null(0))
    return {str(row["predicate"]): _rounded(row[name] for name in FIGURES) for row in found.iter_rows(named=True)}


def _rounded(figures: Any) -> list[float]:
    return [round(float(figure), 9) for figure in figures]


if __name__ == "__main__":
    main()
