"""Building and searching an index of a million pairs in 50 shards of uneven size, against one flat FAISS index.

    python -m benchmarks.bench_search                     # 100,000, 300,000 and a million pairs
    python -m benchmarks.bench_search --pairs 20000 --shards 5 --queries 100

Vectors have 384 numbers and come from the static encoder (benchmarks/projected.py). The flat index holds floats and is
searched on one thread. A batch is searched on one thread too; a single question is looked for in several shards at a
time, as `ask` does.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import faiss
import numpy as np

from benchmarks.projected import ProjectedEncoder
from benchmarks.question_corpus import question, uneven_sizes, write_shard
from factmill.corpus import Corpus
from factmill.home import Home
from factmill.index import Indexer
from factmill.search import Queries, Retriever

K = 5
AIM_SINGLE, AIM_RECALL, AIM_BATCH, AIM_BYTES = 8, 0.97, 1.2, 1_200
_SINGLE_QUERIES = 200


def main(words: Sequence[str] | None = None) -> None:
    """Print a row of figures for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[100_000, 300_000, 1_000_000])
    parser.add_argument("--shards", type=int, default=50)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--memory-of", type=Path, help="only open this home, ask, and print what the process takes")
    chosen = parser.parse_args(words)
    if chosen.memory_of:
        _ask_everything(chosen.memory_of)
        return
    for n_pairs in chosen.pairs:
        with tempfile.TemporaryDirectory() as folder:
            _bench(Path(folder), n_pairs, chosen.shards, chosen.queries)


def _bench(folder: Path, n_pairs: int, n_shards: int, n_queries: int) -> None:
    home, encoder = Home.open(folder / "home", create=True), ProjectedEncoder()
    sizes = uneven_sizes(n_pairs, n_shards)
    for shard, size in enumerate(sizes):
        write_shard(home, shard, range(size))
    _build(home, encoder, n_pairs)
    chance = np.random.default_rng(1)
    asked = [int(shard) for shard in chance.choice(n_shards, n_queries, p=np.array(sizes) / n_pairs)]
    questions = [f"tell me {question(shard, int(chance.integers(sizes[shard])))} please" for shard in asked]
    retriever = Retriever(home, encoder=encoder, word_weight=0)
    exact = Retriever(home, encoder=encoder, word_weight=0, exact=True)
    queries = retriever.encode(questions)
    flat = faiss.IndexFlatIP(encoder.dimensions)
    for index in retriever._indexes:
        for part in index._parts:
            flat.add(part.segment.floats(slice(None)))
    faiss.omp_set_num_threads(1)
    _bench_single(retriever, flat, queries)
    _bench_batch(exact, flat, queries)
    _bench_memory(folder / "home", n_pairs)


def _build(home: Home, encoder: ProjectedEncoder, n_pairs: int) -> None:
    started = time.perf_counter()
    corpus = Corpus(home).latest()
    texts = [corpus.rows(shard, ("question",))["question"].to_pylist() for shard in corpus.shards()]
    read = time.perf_counter() - started
    for some in texts:
        encoder.encode(some)
    encoded = time.perf_counter() - started - read
    del texts
    started = time.perf_counter()
    with Indexer(home, encoder, corpus) as indexer:
        for shard in corpus.shards():
            indexer.update(shard)
    built = time.perf_counter() - started
    print(f"{n_pairs:,} pairs: encoded in {encoded:.1f} s; encoded and indexed, shard by shard, in {built:.1f} s")


def _bench_single(retriever: Retriever, flat: faiss.Index, queries: Queries) -> None:
    some = queries.taken(np.arange(min(_SINGLE_QUERIES, len(queries))))
    vectors = some.vectors.astype(np.float32)
    each = [some.taken(np.array([number])) for number in range(len(some))]
    retriever.search(each[0], K)
    started = time.perf_counter()
    found = [retriever.search(one, K).scores[0] for one in each]
    ours = time.perf_counter() - started
    started = time.perf_counter()
    for number in range(len(some)):
        flat.search(vectors[number : number + 1], K)
    theirs = time.perf_counter() - started
    scores, _ = flat.search(vectors, K)
    hits = sum(len(set(a.tolist()) & set(b.astype(int).tolist())) for a, b in zip(found, scores, strict=True))
    recall = hits / sum(len(set(b.tolist())) for b in scores)
    print(
        f"  one question: {1000 * ours / len(some):.2f} ms, exact {1000 * theirs / len(some):.2f} ms:"
        f" ratio {theirs / ours:.1f}; aim {AIM_SINGLE}. Recall@{K} {recall:.4f}; aim {AIM_RECALL}"
    )


def _bench_batch(exact: Retriever, flat: faiss.Index, queries: Queries) -> None:
    vectors = queries.vectors.astype(np.float32)
    started = time.perf_counter()
    each = exact.search_each(queries, K)
    ours = time.perf_counter() - started
    started = time.perf_counter()
    scores, _ = flat.search(vectors, K)
    theirs = time.perf_counter() - started
    equal = bool((exact.search(queries, K).scores == scores.astype(np.int32)).all())
    print(
        f"  {len(queries):,} questions, exact top {K} of each of {len(each)} shards: {ours:.2f} s, one flat index"
        f" {theirs:.2f} s: ratio {ours / theirs:.2f}; aim {AIM_BATCH}. Merged scores equal: {equal}"
    )


def _bench_memory(home: Path, n_pairs: int) -> None:
    small = Home.open(home.parent / "small", create=True)
    shard = write_shard(small, 0, range(10))
    with Indexer(small, ProjectedEncoder(), Corpus(small).latest()) as indexer:
        indexer.update(shard)
    resident = [_resident_bytes(path) for path in (small.root, home)]
    a_pair = (resident[1] - resident[0]) / n_pairs
    files = sum(path.stat().st_size for path in (home / "index").rglob("*") if path.is_file())
    print(
        f"  memory, everything touched: {a_pair:,.0f} bytes a pair; aim {AIM_BYTES:,}. Files: {files / n_pairs:,.0f}"
        f" bytes a pair. 65 million: {65e6 * a_pair / 1e9:.0f} GB"
    )


def _resident_bytes(home: Path) -> int:
    """Return what a process takes that has looked at all of an index."""
    command = [sys.executable, "-m", "benchmarks.bench_search", "--memory-of", str(home)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    return int(json.loads(done.stdout)["resident"])


def _ask_everything(home: Path) -> None:
    """Search by links and exactly, look every pair up, and print what memory the process then takes."""
    retriever = Retriever(home, encoder=ProjectedEncoder(), word_weight=0)
    retriever.ask([question(0, 1)] * 20, K)
    n_read = 0
    for index in retriever._indexes:
        for part in index._parts:
            n_read += int(np.asarray(part.segment.keys).max() > 0) + int(part.rows.max())
            n_read += int(part.segment._codes.max())
            if part.segment.manifest.kind == "hnsw":
                graph = part.segment.index.hnsw
                n_read += int(faiss.rev_swig_ptr(graph.neighbors.data(), graph.neighbors.size()).max())
        for batch in index.texts.batches:
            for column in batch.columns:
                n_read += sum(int(np.frombuffer(part, np.uint8).max()) for part in column.buffers() if part)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    print(json.dumps({"touched": n_read, "resident": pages * resource.getpagesize()}))


if __name__ == "__main__":
    main()
