"""Exact top 5 of every one of 50 shards and their merge, against one flat FAISS index over all vectors."""

import time

import faiss
import numpy as np
import numpy.typing as npt

from factmill.index import _faiss_index
from factmill.ranking import Ranking, merge

N_SHARDS, N_ROWS, N_QUERIES, K = 50, 60_000, 1_000, 5


def main() -> None:
    """Print both times, their ratio, and whether the scores are equal."""
    chance = np.random.default_rng(0)
    vectors = np.clip(np.rint(chance.standard_normal((N_ROWS, 384)) * 26), -127, 127).astype(np.int8)
    queries = vectors[:: N_ROWS // N_QUERIES][:N_QUERIES].astype(np.float32)
    bounds = np.sort(chance.choice(np.arange(1, N_ROWS), N_SHARDS - 1, replace=False))
    shards = [_faiss_index(part, "flat") for part in np.split(vectors, bounds)]
    flat = faiss.IndexFlatIP(384)
    flat.add(vectors.astype(np.float32))
    faiss.omp_set_num_threads(1)

    started = time.perf_counter()
    merged = merge([_ranking(shard, queries) for shard in shards], K)
    by_shard = time.perf_counter() - started
    started = time.perf_counter()
    scores, _ = flat.search(queries, K)
    at_once = time.perf_counter() - started
    equal = bool((scores.astype(np.int32) == merged.scores).all())
    print(f"{N_SHARDS} shards {by_shard:.2f} s, one flat index {at_once:.2f} s: ratio {by_shard / at_once:.2f}")
    print(f"scores equal: {equal}")


def _ranking(shard: faiss.Index, queries: npt.NDArray[np.float32]) -> Ranking:
    scores, rows = shard.search(queries, min(K, shard.ntotal))
    ids = rows.astype(np.uint64)
    none = np.zeros(rows.shape, np.bool_)
    return Ranking(scores.astype(np.int32), np.zeros(rows.shape, np.int16), ids, ids, none)


if __name__ == "__main__":
    main()
