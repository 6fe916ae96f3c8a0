from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from factmill.corpus import Corpus
from factmill.corpus_version import CorpusVersion
from factmill.encoders import Vectors, default_encoder
from factmill.errors import ConfigError, IndexFileError
from factmill.home import Home
from factmill.index import IndexFolder, IndexShard, build
from factmill.names import ShardName
from factmill.ranking import NOTHING, Ranking, merge
from factmill.search import Retriever
from factmill.settings import settings
from factmill.steps import index_corpus
from tests.pairs import ORIGIN, shard_rows

SONGS = ShardName("wikidata", "P175")
BOOKS = ShardName("wikidata", "P50")

Lists = list[list[tuple[int, str]]]
"""Score and id of each rank, for each question."""


class RandomVectors:
    """Vectors on a coarse grid, so that ties are common; a question's number decides its vector."""

    name = "random"
    digest = "0123456789abcdef"

    def encode(self, questions: Sequence[str]) -> Vectors:
        rows = [np.random.default_rng(int(q.split()[-1]) % 500).integers(-3, 4, 384) for q in questions]
        return np.array(rows, np.int8).reshape(-1, 384)


def _corpus(home: Home, sizes: dict[ShardName, range]) -> CorpusVersion:
    for shard, numbers in sizes.items():
        Corpus(home).write(shard, shard_rows(shard, [f"question {n}" for n in numbers]), ORIGIN)
    return Corpus(home).latest()


def _search(home: Home, corpus: CorpusVersion, shards: list[ShardName], queries: Vectors, k: int) -> list[Ranking]:
    found = []
    for number, shard in enumerate(shards):
        build(home, RandomVectors(), corpus, shard)
        index = IndexShard(IndexFolder.of(home, "random", shard), RandomVectors(), corpus)
        found.append(index.search(queries, k, number))
    return found


def _brute_force(corpus: CorpusVersion, shards: list[ShardName], queries: Vectors, k: int) -> Lists:
    rows = [(row["qa_id"], row["question"]) for shard in shards for row in corpus.rows(shard).to_pylist()]
    vectors = RandomVectors().encode([question for _, question in rows]).astype(np.int64)
    best = []
    for query in queries.astype(np.int64):
        scores = vectors @ query
        best.append(sorted((-int(score), qa_id) for score, (qa_id, _) in zip(scores, rows, strict=True))[:k])
    return [[(-score, qa_id) for score, qa_id in ranks] for ranks in best]


def _as_lists(ranking: Ranking) -> Lists:
    return [
        [(int(ranking.scores[q, r]), ranking.qa_id(q, r)) for r in range(ranking.depth(q))]
        for q in range(len(ranking.scores))
    ]


@pytest.mark.parametrize("n_queries", [1, 19, 64])
@pytest.mark.parametrize("k", [1, 5, 50])
def test_merging_flat_shards_equals_one_index_over_their_union(home: Home, n_queries: int, k: int) -> None:
    """Score by score and pair by pair, ties included, in batches below and above FAISS' switch to BLAS."""
    shards = [ShardName("wikidata", f"P{n}") for n in (1, 2, 3)]
    sizes = dict(zip(shards, (range(900), range(700, 1_000), range(1_000, 1_003)), strict=True))
    corpus = _corpus(home, sizes)
    queries = RandomVectors().encode([f"query {n}" for n in range(n_queries)])
    merged = merge(_search(home, corpus, shards, queries, k), k)
    assert _as_lists(merged) == _brute_force(corpus, shards, queries, k)


def test_merging_in_steps_equals_merging_at_once(home: Home) -> None:
    shards = [ShardName("wikidata", f"P{n}") for n in (1, 2, 3)]
    corpus = _corpus(home, dict(zip(shards, (range(50), range(40, 90), range(80, 99)), strict=True)))
    queries = RandomVectors().encode([f"query {n}" for n in range(9)])
    one, two, three = _search(home, corpus, shards, queries, 5)
    at_once = _as_lists(merge([one, two, three], 5))
    assert _as_lists(merge([merge([one, two], 5), three], 5)) == at_once
    assert _as_lists(merge([three, merge([two, one], 5)], 5)) == at_once


def test_hnsw_finds_nearly_all_that_exact_search_finds_with_the_same_scores(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recall@5 of at least 0.97 against exact search on real questions; the score of a found pair is exact."""
    words = ["who wrote", "when was", "where is", "who sings", "how old is"]
    names = ["paris", "hello", "dune", "rome", "mars", "heat", "cats", "yesterday", "the nile", "einstein"]
    questions = [f"{w} {a} {b} {c}" for w in words for a in names for b in names for c in names[:4]]
    Corpus(home).write(SONGS, shard_rows(SONGS, questions), ORIGIN)
    corpus = Corpus(home).latest()
    encoder = default_encoder()
    queries = encoder.encode([f"tell me {question}" for question in questions[::17]])
    found = {}
    for limit in ("100000", "0"):
        monkeypatch.setenv("FACTMILL_FLAT_ROWS", limit)
        settings.cache_clear()
        kind = build(home, encoder, corpus, SONGS).kind
        index = IndexShard(IndexFolder.of(home, encoder.name, SONGS), encoder, corpus)
        found[kind] = _as_lists(index.search(queries, 5, 0))
    exact = {(q, pair) for q, ranks in enumerate(found["flat"]) for pair in ranks}
    near = {(q, pair) for q, ranks in enumerate(found["hnsw"]) for pair in ranks}
    assert len(exact & near) / len(exact) >= 0.97


def test_a_shard_smaller_than_k_leaves_ranks_empty(home: Home) -> None:
    corpus = _corpus(home, {SONGS: range(2)})
    (ranking,) = _search(home, corpus, [SONGS], RandomVectors().encode(["query 1"]), 5)
    assert ranking.depth(0) == 2
    assert (ranking.scores[0, 2:] == NOTHING).all()


def _fill(home: Home, shard: ShardName, answers: dict[str, str]) -> None:
    Corpus(home).write(shard, shard_rows(shard, answers), ORIGIN)


def test_questions_are_answered_from_all_shards_or_from_some(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    _fill(home, BOOKS, {"who wrote dune": "Frank Herbert"})
    assert [indexed.was_built for indexed in index_corpus(home)] == [True, True]
    hits = Retriever(home).ask(["Who wrote Dune?", "singer of hello"], k=2)
    assert [ranks[0].answer for ranks in hits] == ["Frank Herbert", "Adele"]
    assert 0.99 < hits[0][0].score < 1.01
    only = Retriever(home.root, [SONGS]).ask(["who wrote dune"])
    assert [hit.shard for hit in only[0]] == [SONGS]
    with pytest.raises(ConfigError, match="the corpus has no shard wikidata/P1"):
        Retriever(home, [ShardName("wikidata", "P1")])


def test_only_what_changed_is_indexed_again(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    _fill(home, BOOKS, {"who wrote dune": "Frank Herbert"})
    list(index_corpus(home))
    _fill(home, BOOKS, {"who wrote dune": "F. Herbert"})
    assert [one.was_built for one in index_corpus(home)] == [False, False], "a new answer needs no new vector"
    assert Retriever(home).stale_shards == []
    assert Retriever(home).ask(["who wrote dune"])[0][0].answer == "F. Herbert"
    _fill(home, BOOKS, {"who wrote the novel dune": "Frank Herbert"})
    assert [(str(one.shard), one.was_built) for one in index_corpus(home)] == [
        ("wikidata/P175", False),
        ("wikidata/P50", True),
    ]


def test_retired_pairs_vanish_before_the_index_is_built_again(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele", "who sings bad": "Michael Jackson", "who sings one": "U2"})
    list(index_corpus(home))
    rows = shard_rows(SONGS, {"who sings bad": "MJ", "who sings two": "Nobody"})
    Corpus(home).write(SONGS, rows, ORIGIN)
    retriever = Retriever(home)
    assert retriever.stale_shards == [SONGS]
    assert [(hit.row["question"], hit.answer) for hit in retriever.ask(["who sings hello"])[0]] == [
        ("who sings bad", "MJ")
    ]


def test_a_retriever_keeps_to_the_version_it_was_made_for(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    retriever = Retriever(home)
    _fill(home, SONGS, {"who sings hello": "Lionel Richie"})
    assert retriever.ask(["who sings hello"])[0][0].answer == "Adele"


@pytest.mark.parametrize("suffix", [".faiss", ".npy", ".json"])
def test_a_damaged_index_is_refused_and_can_be_rebuilt(home: Home, suffix: str) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (file,) = home.index("minilm").rglob(f"*{suffix}")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(IndexFileError, match=r"is damaged: .* Run `factmill index --rebuild`"):
        Retriever(home)
    list(index_corpus(home, rebuild=True))
    assert Retriever(home).ask(["who sings hello"])[0][0].answer == "Adele"


def test_a_missing_index_file_is_built_again(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (file,) = home.index("minilm").rglob("*.faiss")
    file.unlink()
    assert [one.was_built for one in index_corpus(home)] == [True]


def test_an_interrupted_build_leaves_the_old_index(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    _fill(home, SONGS, {"who sings hello": "Adele", "who sings bad": "Michael Jackson"})

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("factmill.index.write_atomically", interrupt)
    with pytest.raises(KeyboardInterrupt):
        list(index_corpus(home))
    assert Retriever(home).ask(["who sings hello"])[0][0].answer == "Adele"


def test_an_index_of_another_encoder_is_refused(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (manifest,) = home.index("minilm").rglob("manifest.json")
    manifest.write_text(manifest.read_text().replace(default_encoder().digest, "f" * 16))
    with pytest.raises(IndexFileError, match="was made by another encoder"):
        Retriever(home)


def test_an_empty_corpus_and_a_missing_index_say_what_to_do(home: Home, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the corpus is empty"):
        Retriever(home)
    _fill(home, SONGS, {"who sings hello": "Adele"})
    with pytest.raises(IndexFileError, match="wikidata/P175 is not indexed"):
        Retriever(home)
    with pytest.raises(ConfigError, match="is not a factmill home"):
        Retriever(tmp_path / "nowhere")


def test_a_stale_hnsw_shard_finds_nearly_all_of_its_live_rows(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTMILL_FLAT_ROWS", "0")
    settings.cache_clear()
    numbers = range(3_000)
    corpus = _corpus(home, {SONGS: numbers})
    build(home, RandomVectors(), corpus, SONGS)
    corpus = _corpus(home, {SONGS: range(0, 3_000, 20)})
    index = IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)
    assert index.is_stale
    queries = RandomVectors().encode([f"query {n}" for n in range(100)])
    found, exact = _as_lists(index.search(queries, 5, 0)), _brute_force(corpus, [SONGS], queries, 5)
    shared = sum(len({s for s, _ in a} & {s for s, _ in b}) for a, b in zip(found, exact, strict=True))
    assert shared / sum(len({score for score, _ in ranks}) for ranks in exact) >= 0.97


def test_readers_and_builders_at_once_never_see_a_damaged_index(home: Home) -> None:
    """Two processes publish new indexes of one shard while this one reads."""
    import multiprocessing

    _corpus(home, {SONGS: range(20)})
    context = multiprocessing.get_context("spawn")
    builders = [context.Process(target=_build_often, args=(home.root, seed)) for seed in (1, 2)]
    corpus = Corpus(home).latest()
    build(home, RandomVectors(), corpus, SONGS)
    for builder in builders:
        builder.start()
    n_reads = 0
    while any(builder.is_alive() for builder in builders):
        IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)
        n_reads += 1
    assert [builder.exitcode for builder in builders] == [0, 0]
    assert n_reads > 10


class ShiftedVectors(RandomVectors):
    """Other vectors for the same questions, so that every build writes other files."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def encode(self, questions: Sequence[str]) -> Vectors:
        return np.roll(super().encode(questions), self._seed, axis=1)


def _build_often(root: Path, seed: int) -> None:
    home = Home.open(root)
    corpus = Corpus(home).latest()
    for number in range(40):
        build(home, ShiftedVectors(seed + 2 * number), corpus, SONGS)
