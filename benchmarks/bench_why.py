"""Where a thousand pairs come from: each is looked up, its line read back and compared with the fact.

The peer is what one would do by hand: `zcat` the dump up to the line. It also shows that the line stands in the dump.

    python -m benchmarks.bench_why                               # a dump of 2 GB is made, staged and milled
    python -m benchmarks.bench_why --dump subset.truthy.nt.gz    # or one that is there
"""

import argparse
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow.compute as pc

from benchmarks.cost import cost_of
from benchmarks.truthy_dump import write_dump
from factmill import steps
from factmill.corpus import Corpus
from factmill.evidence import Verdict
from factmill.home import Home
from factmill.manifest import Stage
from factmill.names import PropertyId, ShardName
from factmill.stage import stage_wikidata
from factmill.templates import Template, catalogue
from factmill.warehouse import Warehouse
from factmill.why import Why, why

AIM_SECONDS = 2.0


def main(words: Sequence[str] | None = None) -> None:
    """Stage, mill, look pairs up, and print how many lines state their facts and how long that takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dump", type=Path, help="a truthy dump, instead of one that is made")
    parser.add_argument("--megabytes", type=int, default=2_000, help="size of the dump that is made, raw (%(default)s)")
    parser.add_argument("--pairs", type=int, default=1_000, help="pairs to look up together (%(default)s)")
    parser.add_argument("--single", type=int, default=20, help="pairs to look up one by one (%(default)s)")
    parser.add_argument("--peers", type=int, default=3, help="lines to reach by zcat (%(default)s)")
    parser.add_argument("--shards", type=int, default=8, help="shards to mill, those with most facts (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="another seed takes other pairs (%(default)s)")
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as name:
        home = Home.open(Path(name) / "home", create=True)
        dump = chosen.dump
        if dump is None:
            dump = Path(name) / "truthy.nt.gz"
            write_dump(dump, chosen.megabytes * 1_000_000)
        stage = stage_wikidata(home, dump, "en", workers=2).stage
        for template in _templates(home, stage, chosen.shards):
            steps.augment(home, template)
        _measure(home, dump, random.Random(chosen.seed), chosen.pairs, chosen.single, chosen.peers)


def _templates(home: Home, stage: Stage, n: int) -> list[Template]:
    """Return the templates of the plain predicates with most facts."""
    with home.scratch() as scratch, Warehouse(scratch) as warehouse:
        warehouse.attach(stage)
        counts = pc.value_counts(warehouse.query("select predicate from facts")["predicate"].combine_chunks())
    ranked = sorted(counts.to_pylist(), key=lambda row: (-row["counts"], row["values"]))
    shards = [ShardName("wikidata", str(PropertyId(row["values"]))) for row in ranked]
    templates = catalogue()
    usable = [templates[shard] for shard in shards if shard in templates and not templates[shard].needs_qualifiers]
    return usable[:n]


def _measure(home: Home, dump: Path, chance: random.Random, n_pairs: int, n_single: int, n_peers: int) -> None:
    latest = Corpus(home).latest()
    # A base has no facts behind it, and there is none here.
    every = [qa_id for shard in latest.shards() for qa_id in latest.rows(shard, ["qa_id"])["qa_id"].to_pylist()]
    asked = chance.sample(every, min(n_pairs, len(every)))
    print(f"{len(every):,} pairs in {len(latest.shards())} shards; {dump.name}, {dump.stat().st_size:,} bytes")
    started = time.perf_counter()
    found = why(home, asked)
    took = time.perf_counter() - started
    matching = [one for one in found if one.facts and one.verdict is Verdict.STATED]
    print(
        f"{len(matching):,} of {len(asked):,} match: {sum(len(one.facts) for one in found):,} lines read and compared"
    )
    print(f"together: {took:.2f} s, {took / len(asked) * 1000:.1f} ms a pair")
    seconds = [_seconds(home, qa_id) for qa_id in asked[:n_single]]
    print(
        f"one by one: median {statistics.median(seconds):.3f} s, longest {max(seconds):.3f} s; aim {AIM_SECONDS:.0f} s"
    )
    last = max(matching, key=_position)
    command = [sys.executable, "-m", "factmill", "corpus", "why", last.qa_id, "--home", str(home.root)]
    print(f"the whole command, for the line farthest in: {cost_of(command).wall:.2f} s; aim {AIM_SECONDS:.0f} s")
    ratios = [_zcat(dump, one) / _seconds(home, one.qa_id) for one in found[:n_peers]]
    print(f"ratio: zcat up to the line takes {statistics.median(ratios):.1f} times as long (of {len(ratios)} lines)")
    if len(matching) < len(asked):
        raise SystemExit("some lines do not state the facts of their pairs")


def _seconds(home: Home, qa_id: str) -> float:
    started = time.perf_counter()
    why(home, [qa_id])
    return time.perf_counter() - started


def _position(one: Why) -> tuple[int, ...]:
    return tuple(map(int, one.facts[0].place.split("+")))


def _zcat(dump: Path, one: Why) -> float:
    """Unpack the dump up to a line, which must be found as it is."""
    line = one.facts[0].lines[0]
    unpack = f"zcat {shlex.quote(str(dump))} | grep --max-count=1 --fixed-strings --line-regexp -- {shlex.quote(line)}"
    started = time.perf_counter()
    done = subprocess.run(unpack, shell=True, capture_output=True, text=True, check=False)
    took = time.perf_counter() - started
    if done.stdout != f"{line}\n":
        raise SystemExit(f"zcat does not find the line {line!r}")
    return took


if __name__ == "__main__":
    main()
