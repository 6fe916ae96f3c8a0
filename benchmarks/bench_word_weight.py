"""What shared words should count beside the cosine: chosen on one half of real questions, reported on the other.

    python -m benchmarks.bench_word_weight --home data --shared ../shared/data --encoder minilm

The home holds a corpus and an index of it, such as base_corpus and the Wikidata subset. Questions whose hash is even
choose the weight, by the mean gain of exact match over the sets; the others report.
"""

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from factmill.corpus import Corpus
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import read_questions
from factmill.ranking import merge
from factmill.search import Retriever

SETS = (
    "simplequestions_wd_train",
    "webq_train",
    "popqa_A",
    "entityquestions_dev",
    "metaqa_dev",
    "movieqa_train",
    "nq_dev",
    "triviaqa_dev",
)
WEIGHTS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
_DEPTH = 5

Marks = npt.NDArray[np.bool_]


def main(words: Sequence[str] | None = None) -> None:
    """Print a table over weights, and the chosen one's figures on the other half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--without", default="", help="leave out the shards of this source")
    parser.add_argument("--most", type=int, default=2_000, help="questions of a set")
    chosen = parser.parse_args(words)
    found: dict[str, list[Marks]] = {}
    even: dict[str, Marks] = {}
    shards = [shard for shard in Corpus(Home.open(chosen.home)).latest().shards() if shard.source != chosen.without]
    for name in SETS:
        questions, gold = _questions(chosen.shared / "questions" / f"{name}.jsonl.gz", chosen.most)
        even[name] = np.array([int(hashlib.sha256(q.encode()).hexdigest(), 16) % 2 == 0 for q in questions])
        found[name] = [_right(chosen.home, chosen.encoder, shards, questions, gold, weight) for weight in WEIGHTS]
        _print_row(name, found[name], even[name])
    gains = [
        np.mean([(marks[number] & even[n][:, None]).sum(0) / even[n].sum() for n, marks in found.items()])
        for number in range(len(WEIGHTS))
    ]
    best = int(np.argmax(gains))
    print(f"chosen on the even half: {WEIGHTS[best]}")
    for name, marks in found.items():
        before, after = (100 * marks[number][~even[name]].mean(0) for number in (0, best))
        print(f"{name:26} odd half: {_pair(before)} -> {_pair(after)}")


def _questions(path: Path, most: int) -> tuple[list[str], list[tuple[str, ...]]]:
    read = read_questions(path)
    # Spread over the file: a file may be sorted by what is asked.
    chosen = range(0, len(read), max(1, len(read) // most))
    return [read.questions[n] for n in chosen], [read.gold[n] for n in chosen]


def _right(
    home: Path,
    encoder: str,
    shards: list[ShardName],
    questions: list[str],
    gold: list[tuple[str, ...]],
    weight: float,
) -> Marks:
    """Return for each question whether the first pair is right, and whether one of five is."""
    retriever = Retriever(home, shards, encoder=encoder, exact=True, word_weight=weight)
    ranking = merge(list(retriever.search_each(retriever.encode(questions), _DEPTH).values()), _DEPTH)
    marked = retriever.mark(ranking, gold)
    return np.stack([marked.right_at(1), marked.right_at(_DEPTH)], axis=1)


def _print_row(name: str, marks: list[Marks], even: Marks) -> None:
    told = "  ".join(f"{weight}: {_pair(100 * one[even].mean(0))}" for weight, one in zip(WEIGHTS, marks, strict=True))
    print(f"{name:26} even half: {told}", flush=True)


def _pair(shares: npt.NDArray[np.floating]) -> str:
    return f"{shares[0]:.2f}/{shares[1]:.2f}"


if __name__ == "__main__":
    main()
