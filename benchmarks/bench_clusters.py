"""Mistake clusters of real questions: how long they take, and grouping against comparing all pairs.

    python -m benchmarks.bench_clusters                       # with ../shared/data
    python -m benchmarks.bench_clusters --shared /nowhere --questions 3000 --grouped 12000    # made-up questions

Linking is timed with the rest, opening linker and encoder is not. The peer compares the vectors of all questions, in
blocks, by numpy, and groups what is near by the same function.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.cost import cost_of
from benchmarks.linked_questions import read_asked
from factmill.clusters import LEAST_SIZE, find_clusters
from factmill.communities import Community, Rows, communities
from factmill.encoders import Encoder, Vectors, encode_all, open_encoder
from factmill.home import Home
from factmill.linker import Mention, open_linker
from factmill.masking import mask, text_to_encode
from factmill.near_pairs import COSINE, near_pairs

AIM_SECONDS, AIM_RATIO = 60, 20
_SETS = (
    "nq_dev",
    "triviaqa_dev",
    "base_corpus",
    "webq_train",
    "simplequestions_wd_train",
    "popqa_A",
    "entityquestions_dev",
    "metaqa_dev",
    "movieqa_train",
)
_ROWS_A_BLOCK = 1_000
_SYLLABLES = [f"{first}{second}" for first in "bdfgklmnrst" for second in "aeiou"]
_N_WORDS, _WORDS_A_QUESTION = len(_SYLLABLES) ** 2, 12


def main(words: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"))
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--grouped", type=int, default=50_000)
    parser.add_argument("--encoders", nargs="+", default=["static", "minilm"])
    chosen = parser.parse_args(words)
    questions, mentions, seconds = _linked(chosen.shared, max(chosen.questions, chosen.grouped))
    for name in chosen.encoders:
        encoder = open_encoder(name)
        encoder.encode(["who"])
        n = chosen.questions
        started = time.perf_counter()
        clusters = find_clusters(questions[:n], mentions[:n], encoder)
        took = time.perf_counter() - started + seconds * n / len(questions)
        n_in = sum(one.size for one in clusters)
        print(f"{name}: {n:,} questions in {took:.1f} s, aim {AIM_SECONDS}; {len(clusters):,} clusters of {n_in:,}")
        _bench_grouping(questions[: chosen.grouped], mentions[: chosen.grouped], encoder)


def _linked(data: Path, n: int) -> tuple[list[str], list[list[Mention]], float]:
    """Return questions, what they mention, and how long linking took."""
    if not data.is_dir():
        return _made_up(n)
    with tempfile.TemporaryDirectory() as folder:
        dump = data / "wikidata" / "subset.truthy.nt.gz"
        cost_of([sys.executable, "-m", "factmill", "stage", "wikidata", str(dump), "--home", folder])
        linker = open_linker(Home.open(Path(folder)), "wikidata")
    questions = [one.question for name in _SETS for one in read_asked(data, name)][:n]
    started = time.perf_counter()
    return questions, linker.link(questions), time.perf_counter() - started


def _made_up(n: int) -> tuple[list[str], list[list[Mention]], float]:
    """Return questions of made-up words; many differ from some others in one word."""
    chance = np.random.default_rng(1)
    wordings = chance.integers(_N_WORDS, size=(n // 8, _WORDS_A_QUESTION))
    rows = wordings[np.sort(chance.integers(n // 8, size=n))]
    rows[np.arange(n), chance.integers(_WORDS_A_QUESTION, size=n)] = chance.integers(_N_WORDS, size=n)
    vocabulary = [f"{first}{second}" for first in _SYLLABLES for second in _SYLLABLES]
    return [" ".join(vocabulary[word] for word in row) for row in rows.tolist()], [[] for _ in range(n)], 0.0


def _bench_grouping(questions: Sequence[str], mentions: Sequence[Sequence[Mention]], encoder: Encoder) -> None:
    texts = [mask(question, some).text for question, some in zip(questions, mentions, strict=True)]
    distinct = sorted(set(texts))
    vectors = encode_all(encoder, list(map(text_to_encode, distinct)))
    place = {text: row for row, text in enumerate(distinct)}
    each = vectors[[place[text] for text in texts]]
    started = time.perf_counter()
    counts = Counter(texts)
    weights = [counts[text] for text in sorted(counts)]
    pairs = near_pairs(vectors, encoder.grid)
    ours = list(communities(weights, *pairs, LEAST_SIZE))
    took = time.perf_counter() - started
    started = time.perf_counter()
    all_pairs = _all_pairs(each, encoder.grid)
    theirs = list(communities([1] * len(each), *all_pairs, LEAST_SIZE))
    peer = time.perf_counter() - started
    exact = near_pairs(vectors, encoder.grid, exact_up_to=len(vectors))
    reference = list(communities(weights, *exact, LEAST_SIZE))
    n_same = sum(weights[row] for row, _ in _placed(ours) & _placed(reference))
    n_reference = sum(weights[row] for row, _ in _placed(reference))
    print(
        f"  {len(texts):,} questions, {len(distinct):,} wordings grouped in {took:.2f} s,"
        f" by all pairs in {peer:.1f} s: ratio {peer / took:.1f}; aim {AIM_RATIO}"
    )
    print(
        f"  of {len(exact[0]):,} near pairs {_percent(len(pairs[0]), len(exact[0]))} found, {len(ours):,} clusters of"
        f" {len(reference):,}, {_percent(n_same, n_reference)} of their questions in the same one;"
        f" without putting equal wordings together {len(theirs):,} clusters"
    )


def _all_pairs(vectors: Vectors, grid: int) -> tuple[Rows, Rows]:
    floats = vectors.astype(np.float32)
    first, second = [], []
    for start in range(0, len(floats), _ROWS_A_BLOCK):
        row, other = np.nonzero(floats[start : start + _ROWS_A_BLOCK] @ floats.T > COSINE * grid * grid)
        is_later = row + start < other
        first.append(row[is_later] + start)
        second.append(other[is_later])
    return np.concatenate(first), np.concatenate(second)


def _placed(found: Sequence[Community]) -> set[tuple[int, int]]:
    """Return each wording with the one that its cluster is around."""
    return {(row, one.centre) for one in found for row in one.members}


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.2f} %"


if __name__ == "__main__":
    main()
