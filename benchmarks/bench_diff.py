"""Comparing two versions of a corpus in which every shard was written anew, against a plain full join in polars.

The join reads both versions' questions and answers and joins them by `qa_id`, all at once. Both must count the same.

    python -m benchmarks.bench_diff                   # 5 million pairs in 20 shards: a minute, 2 GB of disk
    python -m benchmarks.bench_diff --shards 1        # all in one
    python -m benchmarks.bench_diff --pairs 20000
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars as pl
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

from benchmarks.cost import Cost, cost_of
from factmill.corpus import Corpus
from factmill.delta import shard_predicate
from factmill.history import diff_versions
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA

AIM_SECONDS = 20
AIM_GIGABYTES = 1.5
# One pair in a hundred is retired, one added; one in fifty gets another answer.
_ROWS = """
    select
        md5($shard || ' ' || i) as qa_id,
        null as ordinal,
        'who sings song number ' || i || ' of the year ' || 1900 + i % 120 as question,
        if(i % 50 = 0 and $is_new, ['Somebody Else'], ['Singer ' || i % 99_991, 'The Singer ' || i % 99_991]) as answer,
        $source as source,
        $key as predicate,
        'P175_performer.j2' as template,
        'who sings {{ subject }}' as wording,
        'Q' || i as subject,
        'Song number ' || i as subject_label,
        'Song number ' || i as subject_name,
        ['Q' || i % 99_991] as objects,
        'single' as kind,
        i % 1_000 as popularity,
        'CC0-1.0' as licence,
        date '2026-11-01' as as_of,
        [i || '+' || i] as places,
        null as wikipedia_title
    from range($first, $first + $n) as numbers(i)
    order by qa_id
"""


def main(words: list[str] | None = None) -> None:
    """Print how long a comparison takes and how large it gets, and its ratio to the plain join."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5_000_000)
    parser.add_argument("--shards", type=int, default=20)
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        write_versions(folder / "home", chosen.pairs, chosen.shards)
        ours, found = _cost_of("compared", folder, chosen.shards)
        theirs, expected = _cost_of("joined", folder, chosen.shards)
    if found != expected:
        raise SystemExit(f"comparing gives {found}, the join {expected}")
    print(
        f"{chosen.pairs:,} pairs in {chosen.shards} shards: " + ", ".join(f"{n:,} {kind}" for kind, n in found.items())
    )
    print(f"compared in {ours.wall:.1f} s; aim {AIM_SECONDS}")
    print(f"memory: {ours.peak_bytes / 1e9:.2f} GB; aim {AIM_GIGABYTES}")
    print(f"plain join in polars: {theirs.wall:.1f} s, {theirs.peak_bytes / 1e9:.2f} GB")
    print(f"ratio: {theirs.wall / ours.wall:.2f}, of the memory {theirs.peak_bytes / ours.peak_bytes:.2f}")


def write_versions(root: Path, n_pairs: int, n_shards: int) -> None:
    """Write a made-up corpus twice: each shard is a version, first of the old pairs, then of the new ones."""
    home = Home.open(root, create=True)
    DeltaTable.create(home.corpus, schema=PAIR_SCHEMA, partition_by=["source", "predicate"])
    for is_new in (False, True):
        for number in range(n_shards):
            _write(home, ShardName("wikidata", f"P{number + 1}"), n_pairs // n_shards, is_new)


def _write(home: Home, shard: ShardName, n: int, is_new: bool) -> None:
    """Write a shard as the corpus does, but with a made-up digest, which would take longest."""
    values = {
        "shard": str(shard),
        "source": shard.source,
        "key": shard.key,
        "is_new": is_new,
        "first": n // 100 if is_new else 0,
        "n": n,
    }
    with duckdb.connect() as connection:
        rows = connection.sql(_ROWS, params=values).to_arrow_table().cast(PAIR_SCHEMA)
    write_deltalake(
        home.corpus,
        rows,
        mode="overwrite",
        predicate=shard_predicate(shard),
        commit_properties=CommitProperties(app_transactions=[Transaction(str(shard), 1 + is_new)]),
    )


def _cost_of(side: str, folder: Path, n_shards: int) -> tuple[Cost, dict[str, int]]:
    """Run one side in a process of its own; return what it cost and found."""
    code = "import sys; from benchmarks import bench_diff; bench_diff.run_side(*sys.argv[1:])"
    cost = cost_of([sys.executable, "-c", code, side, str(folder), str(n_shards)])
    return cost, json.loads((folder / f"{side}.json").read_text())


def run_side(side: str, folder: str, n_shards: str) -> None:
    """Be the process of one side: write down how many pairs it found of each kind."""
    sides: dict[str, Callable[[Home, int], dict[str, int]]] = {"compared": _compared, "joined": _joined}
    found = sides[side](Home.open(Path(folder) / "home"), int(n_shards))
    (Path(folder) / f"{side}.json").write_text(json.dumps(found))


def _compared(home: Home, n_shards: int) -> dict[str, int]:
    total = diff_versions(home, n_shards, 2 * n_shards).total
    return {
        "added": total.n_added,
        "changed": total.n_changed,
        "retired": total.n_retired,
        "unchanged": total.n_unchanged,
    }


def _joined(home: Home, n_shards: int) -> dict[str, int]:
    corpus = Corpus(home)
    old, new = (_table(home, corpus, version) for version in (n_shards, 2 * n_shards))
    both = old.join(new, on="qa_id", how="full", suffix="_new")
    is_added, is_retired = both["qa_id"].is_null(), both["qa_id_new"].is_null()
    is_changed = (both["question"] != both["question_new"]) | (both["answer"] != both["answer_new"])
    n_changed = int((is_changed & ~is_added & ~is_retired).sum())
    n_added, n_retired = int(is_added.sum()), int(is_retired.sum())
    n_unchanged = both.height - n_added - n_retired - n_changed
    return {"added": n_added, "changed": n_changed, "retired": n_retired, "unchanged": n_unchanged}


def _table(home: Home, corpus: Corpus, version: int) -> pl.DataFrame:
    found = corpus.at(version)
    files = [file.path for shard in found.shards() for file in found.files(shard)]
    return pl.read_parquet(files, columns=["qa_id", "question", "answer"], hive_partitioning=False)


if __name__ == "__main__":
    main()
