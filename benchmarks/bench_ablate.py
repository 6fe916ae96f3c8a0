"""Sixty predicates one at a time on top of a base, against searching each shard once and evaluating the base.

    python -m benchmarks.bench_ablate
    python -m benchmarks.bench_ablate --pairs 20000 --shards 10 --questions 500

The peer builds every variant anew, as the thesis did: base and shard are written, encoded and indexed in a home of
their own, and all questions are searched there. The encoder is `static`.
Times are of the processors, which other work on the machine disturbs less.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.question_corpus import question, uneven_sizes, write_shard
from factmill.ablation.experiment import Experiment, make_experiment
from factmill.ablation.run import run_experiment
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import QuestionSet, read_questions
from factmill.search import Retriever
from factmill.statistics import bootstrap_interval
from factmill.steps import index_corpus

AIM_PASS, AIM_NAIVE, AIM_BOOTSTRAP = 1.5, 20, 30
_NAIVE_VARIANTS = 3
_BASE = ShardName("wikidata", "P1")
_K = 5


def main(words: Sequence[str] | None = None) -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--shards", type=int, default=60)
    parser.add_argument("--questions", type=int, default=8_757)
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        _bench(Path(folder), chosen.pairs, chosen.shards, chosen.questions)


def _bench(folder: Path, n_pairs: int, n_shards: int, n_questions: int) -> None:
    home = Home.open(folder / "home", create=True)
    sizes = [n_pairs // 2, *uneven_sizes(n_pairs // 2, n_shards)]
    for shard, size in enumerate(sizes):
        write_shard(home, shard, range(size))
    list(index_corpus(home, encoder="static"))
    path = _write_questions(folder / "questions.jsonl", sizes, n_questions)
    run_experiment(home, _experiment(path, "source"), "static")
    searched = min(_search_pass(home, read_questions(path)) for _ in range(2))
    for by in ("predicate", "leave-one-out"):
        started = time.process_time()
        (table,) = run_experiment(home, _experiment(path, by), "static").tables
        ours = time.process_time() - started
        n_changes = sum(len(variant.changes) for variant in table.variants)
        print(
            f"{by}: {n_shards} variants, {n_changes:,} changes, {ours:.1f} s; search of each shard, base evaluated"
            f" {searched:.1f} s: ratio {ours / searched:.2f}; aim {AIM_PASS}"
        )
        if by == "predicate":
            ours_of_all, variants = ours, table.variants
    naive, scores = _naive(folder, sizes, read_questions(path))
    theirs = {f"+ wikidata/P{number + 2}": score for number, score in enumerate(scores)}
    equal = theirs == {variant.name: variant.at(_K).em for variant in variants if variant.name in theirs}
    a_variant = ours_of_all / n_shards
    print(
        f"a variant with its share of the search {a_variant:.2f} s; built anew {naive:.1f} s: ratio"
        f" {naive / a_variant:.0f}; aim {AIM_NAIVE}. Equal scores: {equal}"
    )
    started = time.process_time()
    for number in range(n_shards):
        bootstrap_interval(number, n_shards - number, max(n_questions, n_shards))
    print(f"bootstrap, {n_shards} variants: {time.process_time() - started:.2f} s; aim {AIM_BOOTSTRAP}")


def _experiment(questions: Path, by: str) -> Experiment:
    return make_experiment(options={"questions": [questions], "by": by, "base": str(_BASE)})


def _write_questions(path: Path, sizes: Sequence[int], n_questions: int) -> Path:
    """Write questions about pairs of all shards, in other words than theirs."""
    chance = np.random.default_rng(1)
    with path.open("w") as file:
        for shard in chance.choice(len(sizes), n_questions, p=np.array(sizes) / sum(sizes)).tolist():
            number = int(chance.integers(sizes[shard]))
            asked = f"tell me {question(shard, number)} please"
            file.write(json.dumps({"question": asked, "answer": [f"answer {number % 1000}"]}) + "\n")
    return path


def _search_pass(home: Home, questions: QuestionSet) -> float:
    """Search each shard once and count the right answers of the base; return the seconds that takes."""
    started = time.process_time()
    retriever = Retriever(home, encoder="static", exact=True)
    rankings = retriever.search_each(retriever.encode(questions.questions), _K)
    marked = retriever.mark(rankings[_BASE], questions.gold)
    for k in (1, _K):
        marked.right_at(k).mean()
    return time.process_time() - started


def _naive(folder: Path, sizes: Sequence[int], questions: QuestionSet) -> tuple[float, list[float]]:
    """Write, index and evaluate the base with one shard in a home of their own, for a few shards.

    Return the mean time and EM-5 of each.
    """
    found = []
    started = time.process_time()
    for shard in range(1, _NAIVE_VARIANTS + 1):
        home = Home.open(folder / f"naive-{shard}", create=True)
        for one in (0, shard):
            write_shard(home, one, range(sizes[one]))
        list(index_corpus(home, encoder="static"))
        retriever = Retriever(home, encoder="static", exact=True)
        ranking = retriever.search(retriever.encode(questions.questions), _K)
        found.append(100 * float(retriever.mark(ranking, questions.gold).right_at(_K).mean()))
    return (time.process_time() - started) / _NAIVE_VARIANTS, found


if __name__ == "__main__":
    main()
