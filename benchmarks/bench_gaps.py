"""Gap analysis of real questions: how often it finds the predicate that a question asks for, and how long it takes.

    python -m benchmarks.bench_gaps
    python -m benchmarks.bench_gaps --questions 200

Reads the Wikidata subset and question sets of the shared data. Every question counts as a mistake, so that the facts of
all are looked for. The peer asks DuckDB for the facts of one question after the other.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np

from factmill.gaps import find_gaps, link_subjects
from factmill.home import Home
from factmill.linker import Mention
from factmill.manifest import Stage
from factmill.names import ItemId
from factmill.questions import QuestionSet, read_questions
from factmill.scoring.norm import open_judge
from factmill.steps import stage_source

AIM_SECONDS, AIM_SHARE = 120, 80
_ROOT = Path(__file__).parent.parent
_SHARED = Path(os.environ.get("FACTMILL_SHARED", _ROOT.parent / "shared")) / "data"
_OF_PEER = 200


def main(words: Sequence[str] | None = None) -> None:
    """Print shares, times and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=None, help="at most so many of each set")
    parser.add_argument("--shared", type=Path, default=_SHARED)
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as text:
        home = Home.open(Path(text), create=True)
        stage_source(home, "wikidata", str(chosen.shared / "wikidata" / "subset.truthy.nt.gz"), [])
        for name in ("simplequestions_wd_train", "nq_dev"):
            asked = read_questions(chosen.shared / "questions" / f"{name}.jsonl.gz")
            _bench(home, _first(asked, chosen.questions or len(asked)))


def _first(asked: QuestionSet, n: int) -> QuestionSet:
    facts = asked.facts[:n] if asked.facts else None
    return QuestionSet(asked.name, asked.sha256, asked.questions[:n], asked.gold[:n], facts=facts)


def _bench(home: Home, asked: QuestionSet) -> None:
    started = time.perf_counter()
    accepted = open_judge(home).accepted(asked.questions, asked.gold)
    linked = link_subjects(home, ["wikidata"], asked.questions)
    ready = time.perf_counter()
    gaps = find_gaps(home, np.zeros(len(asked), np.bool_), accepted, linked)
    ended = time.perf_counter()
    print(
        f"{asked.name}: {len(asked):,} questions in {ended - started:.1f} s, of which {ended - ready:.1f} s for facts;"
        f" aim {AIM_SECONDS} s; {gaps.n_answered:,} answered"
    )
    some = min(_OF_PEER, len(asked))
    peer = _one_by_one(Stage.current(home, "wikidata"), linked["wikidata"][:some]) * len(asked) / some
    print(f"  one question after the other: {peer:.1f} s without comparing answers; ratio {peer / (ended - ready):.1f}")
    if asked.facts:
        rows = gaps.matches["wikidata"].select(["question", "predicate"]).to_pylist()
        found = {(row["question"], row["predicate"]) for row in rows}
        # A property that is asked backwards has an R before its number.
        wanted = [(n, f"P{fact.property[1:]}") for n, fact in enumerate(asked.facts) if fact and fact.property]
        share = 100 * sum(one in found for one in wanted) / len(wanted)
        print(f"  the right predicate is found for {share:.1f}% of {len(wanted):,}; aim {AIM_SHARE}%")


def _one_by_one(stage: Stage, linked: Sequence[Sequence[Mention]]) -> float:
    """Return the seconds in which the facts about each question's entities are read."""
    connection = duckdb.connect()
    connection.read_parquet(str(stage.facts / "*.parquet")).create("facts")
    started = time.perf_counter()
    for mentions in linked:
        for entity in {ItemId.parse(mention.entity).number for mention in mentions}:
            connection.execute("select * from facts where subject = ? or object = ?", [entity, entity]).fetchall()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
