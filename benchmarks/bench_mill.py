"""Milling from end to end: staged facts and labels become verified pairs, against a plain Python loop.

The loop is what one would write first: dictionaries of names and answers, a `render` call a question, a check of each.
It gets a smaller stage, because its dictionaries would not fit into memory at ours.

    python -m benchmarks.bench_mill                        # 20 million facts, 30 million labels: minutes, 4 GB of disk
    python -m benchmarks.bench_mill --facts 200000 --labels 300000
"""

import argparse
import json
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb
from jinja2 import Environment

from benchmarks.cost import Cost, cost_of
from benchmarks.large_stage import write_stage
from factmill.manifest import Stage
from factmill.mill import mill
from factmill.rejects import Rejects
from factmill.templates import read_template

AIM_A_MINUTE = 5_000_000
AIM_GIGABYTES = 2.0
LOOP_FACTS = 500_000
WORDING = "who sings {{ subject }}"
TEMPLATE = f'+++\npredicate = "wikidata/P175"\nlabel = "performer"\n+++\n{WORDING}\n'


def main(words: list[str] | None = None) -> None:
    """Print how fast and large milling is, and its ratio to the loop."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=20_000_000)
    parser.add_argument("--labels", type=int, default=30_000_000)
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        write_stage(folder / "large", chosen.facts, chosen.labels)
        cost, found = _cost_of("milled", folder, "large")
        print(f"{chosen.facts:,} facts, {chosen.labels:,} labels: {found['n_pairs']:,} pairs in {cost.wall:.1f} s")
        print(f"a minute: {chosen.facts / cost.wall * 60 / 1e6:.2f} million facts; aim {AIM_A_MINUTE / 1e6:.0f}")
        print(f"memory: {cost.peak_bytes / 1e9:.2f} GB; aim {AIM_GIGABYTES:.0f}")
        n_facts = min(LOOP_FACTS, chosen.facts)
        write_stage(folder / "small", n_facts, n_facts * 3 // 2)
        ours, found = _cost_of("milled", folder, "small")
        theirs, expected = _cost_of("looped", folder, "small")
        if found != expected:
            raise SystemExit(f"milling gives {found}, the loop {expected}")
        print(f"{n_facts:,} facts: milled in {ours.wall:.1f} s, in a loop in {theirs.wall:.1f} s")
        print(f"ratio: {theirs.wall / ours.wall:.1f}, of the processors {theirs.cpu / ours.cpu:.1f}")


def _cost_of(side: str, folder: Path, stage: str) -> tuple[Cost, dict[str, int]]:
    """Run one side in a process of its own; return what it cost and found."""
    code = "import sys; from benchmarks import bench_mill; bench_mill.run_side(*sys.argv[1:])"
    cost = cost_of([sys.executable, "-c", code, side, str(folder), stage])
    return cost, json.loads((folder / f"{side}.json").read_text())


def run_side(side: str, folder: str, stage: str) -> None:
    """Be the process of one side: write down how many pairs it made, and how many answers they have."""
    made = {"milled": _milled, "looped": _looped}[side](Path(folder), Stage(Path(folder) / stage))
    (Path(folder) / f"{side}.json").write_text(json.dumps(made))


def _milled(folder: Path, stage: Stage) -> dict[str, int]:
    template = folder / "P175.j2"
    template.write_text(TEMPLATE)
    scratch = stage.folder / "scratch"
    scratch.mkdir()
    with Rejects(scratch / "rejects.jsonl") as rejects:
        milled = mill(stage, read_template(template), rejects, scratch)
    ((n_objects,),) = duckdb.read_parquet(str(milled.file)).aggregate("sum(len(objects))").fetchall()
    return {"n_pairs": milled.n_pairs, "n_objects": int(n_objects)}


def _looped(folder: Path, stage: Stage) -> dict[str, int]:
    entities, facts = (str(part / "*.parquet") for part in (stage.entities, stage.facts))
    columns = "id, label, aliases, popularity"
    names = {row[0]: row[1:] for row in duckdb.read_parquet(entities).project(columns).fetchall()}
    answers: dict[int, set[int]] = defaultdict(set)
    for subject, item in duckdb.read_parquet(facts).project("subject, object").fetchall():
        if names[subject][0] and names[item][0]:
            answers[subject].add(item)
    template = Environment(autoescape=False).from_string(WORDING)
    pairs: dict[str, list[Any]] = defaultdict(list)
    for subject in sorted(answers, key=lambda subject: (-names[subject][2], subject)):
        question = " ".join(template.render(subject=names[subject][0]).lower().split())
        pairs[question] += sorted(answers[subject], key=lambda item: (-names[item][2], item))
    n_objects = 0
    n_pairs = 0
    for question, items in pairs.items():
        forms = list(dict.fromkeys([names[items[0]][0], *(alias for item in items for alias in names[item][1])]))
        best, asked = (" ".join(re.findall(r"\w+", text.lower())) for text in (forms[0], question))
        if best and f" {best} " not in f" {asked} ":
            n_pairs += 1
            n_objects += len(items)
    return {"n_pairs": n_pairs, "n_objects": n_objects}


if __name__ == "__main__":
    main()
