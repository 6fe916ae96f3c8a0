from pathlib import Path

import numpy as np
import pytest

from factmill.corpus import Corpus
from factmill.corpus_version import CorpusVersion
from factmill.encoders import Vectors, open_encoder
from factmill.errors import ConfigError, IndexFileError
from factmill.home import Home
from factmill.index import Indexer
from factmill.index_files import IndexFolder
from factmill.index_shard import IndexShard
from factmill.names import ShardName
from factmill.ranking import NOTHING, Ranking, merge
from factmill.scoring.exact import normalise_answer
from factmill.search import Retriever
from factmill.settings import settings
from factmill.steps import index_corpus
from tests.pairs import ORIGIN, shard_rows
from tests.vectors import RandomVectors

SONGS = ShardName("wikidata", "P175")
BOOKS = ShardName("wikidata", "P50")
ARTISTS = ShardName("dbpedia", "dbo:artist")

Lists = list[list[tuple[int, int]]]
"""Score and first half of the id of each rank, for each question."""


def _corpus(home: Home, sizes: dict[ShardName, range]) -> CorpusVersion:
    for shard, numbers in sizes.items():
        Corpus(home).write(shard, shard_rows(shard, [f"question {n}" for n in numbers]), ORIGIN)
    return Corpus(home).latest()


def _search(
    home: Home, corpus: CorpusVersion, shards: list[ShardName], queries: Vectors, k: int, *, exact: bool = False
) -> list[Ranking]:
    found = []
    with Indexer(home, RandomVectors(), corpus) as indexer:
        for number, shard in enumerate(shards):
            indexer.update(shard)
            index = IndexShard(IndexFolder.of(home, "random", shard), RandomVectors(), corpus)
            found.append(index.search(queries, k, number, exact=exact))
    return found


def _brute_force(corpus: CorpusVersion, shards: list[ShardName], queries: Vectors, k: int) -> Lists:
    rows = [(row["qa_id"], row["question"]) for shard in shards for row in corpus.rows(shard).to_pylist()]
    vectors = RandomVectors().encode([question for _, question in rows]).astype(np.int64)
    best = []
    for query in queries.astype(np.int64):
        scores = vectors @ query
        ranks = [(-int(score), int(qa_id[:16], 16)) for score, (qa_id, _) in zip(scores, rows, strict=True)]
        best.append([(-score, half) for score, half in sorted(ranks)[:k]])
    return best


def _as_lists(ranking: Ranking) -> Lists:
    return [
        [(int(ranking.scores[q, r]), int(ranking.ids[q, r])) for r in range(ranking.depth(q))]
        for q in range(len(ranking.scores))
    ]


@pytest.mark.parametrize("n_queries", [1, 19, 64])
@pytest.mark.parametrize("k", [1, 5, 50])
def test_merging_flat_shards_equals_one_index_over_their_union(home: Home, n_queries: int, k: int) -> None:
    """Score by score and pair by pair, ties included, in batches that are searched one by one and by matrices."""
    shards = [ShardName("wikidata", f"P{n}") for n in (1, 2, 3)]
    sizes = dict(zip(shards, (range(900), range(700, 1_000), range(1_000, 1_003)), strict=True))
    corpus = _corpus(home, sizes)
    queries = RandomVectors().encode([f"query {n}" for n in range(n_queries)])
    merged = merge(_search(home, corpus, shards, queries, k), k)
    assert _as_lists(merged) == _brute_force(corpus, shards, queries, k)


@pytest.mark.parametrize("n_queries", [1, 30])
def test_exact_search_of_large_shards_equals_brute_force(
    home: Home, monkeypatch: pytest.MonkeyPatch, n_queries: int
) -> None:
    """Shards of several HNSW segments, searched in blocks that end amid ties."""
    monkeypatch.setenv("FACTMILL_FLAT_ROWS", "0")
    monkeypatch.setenv("FACTMILL_SEGMENT_ROWS", "1000")
    monkeypatch.setattr("factmill.index_shard._ROWS_A_BLOCK", 70)
    settings.cache_clear()
    corpus = _corpus(home, {SONGS: range(2_500)})
    queries = RandomVectors().encode([f"query {n}" for n in range(n_queries)])
    (found,) = _search(home, corpus, [SONGS], queries, 5, exact=True)
    assert _as_lists(found) == _brute_force(corpus, [SONGS], queries, 5)


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
    encoder = open_encoder("minilm")
    monkeypatch.setenv("FACTMILL_FLAT_ROWS", "0")
    settings.cache_clear()
    with Indexer(home, encoder, corpus) as indexer:
        indexer.update(SONGS)
    index = IndexShard(IndexFolder.of(home, encoder.name, SONGS), encoder, corpus)
    queries = encoder.encode([f"tell me {question}" for question in questions[::17]])
    exact, near = (
        {(q, pair) for q, ranks in enumerate(_as_lists(index.search(queries, 5, 0, exact=yes))) for pair in ranks}
        for yes in (True, False)
    )
    assert len(exact & near) / len(exact) >= 0.97


def test_a_shard_smaller_than_k_leaves_ranks_empty(home: Home) -> None:
    corpus = _corpus(home, {SONGS: range(2)})
    (ranking,) = _search(home, corpus, [SONGS], RandomVectors().encode(["query 1"]), 5)
    assert ranking.depth(0) == 2
    assert (ranking.scores[0, 2:] == NOTHING).all()


@pytest.mark.parametrize("flat_rows", ["100", "0"])
def test_a_view_is_searched_as_if_nothing_else_were_there(
    home: Home, monkeypatch: pytest.MonkeyPatch, flat_rows: str
) -> None:
    monkeypatch.setenv("FACTMILL_FLAT_ROWS", flat_rows)
    settings.cache_clear()
    corpus = _corpus(home, {SONGS: range(90)})
    with Indexer(home, RandomVectors(), corpus) as indexer:
        indexer.update(SONGS)
    index = IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)
    only = np.arange(90) % 3 == 0
    queries = RandomVectors().encode(["query 1", "query 2"])
    found = index.search(queries, 40, 0, exact=True, only=only)
    rows = corpus.rows(SONGS)["qa_id"].to_pylist()
    wanted = {int(qa_id[:16], 16) for qa_id, yes in zip(rows, only.tolist(), strict=True) if yes}
    everything = _brute_force(corpus, [SONGS], queries, 90)
    assert _as_lists(found) == [[pair for pair in ranks if pair[1] in wanted] for ranks in everything]


def _fill(home: Home, shard: ShardName, answers: dict[str, str]) -> None:
    Corpus(home).write(shard, shard_rows(shard, answers), ORIGIN)


def test_questions_are_answered_from_all_shards_or_from_some(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    _fill(home, BOOKS, {"who wrote dune": "Frank Herbert"})
    assert [indexed.was_built for indexed in index_corpus(home)] == [True, True]
    results = Retriever(home).ask(["Who wrote Dune?", "singer of hello"], k=2)
    assert [ranks[0].answer for ranks in results] == ["Frank Herbert", "Adele"]
    assert 0.99 < results[0][0].score < 1.01
    only = Retriever(home.root, [SONGS]).ask(["who wrote dune"])
    assert [result.shard for result in only[0]] == [SONGS]
    with pytest.raises(ConfigError, match="the corpus has no shard wikidata/P1"):
        Retriever(home, [ShardName("wikidata", "P1")])


def test_pairs_that_ask_the_same_are_one_result_with_its_sources(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele", "who sings bad": "Michael Jackson", "who sings one": "U2"})
    _fill(home, ARTISTS, {"Who sings Hello?": "Lionel Richie"})
    _fill(home, ShardName("paq", "base"), {"who sings hello": "adele"})
    list(index_corpus(home))
    results = Retriever(home).ask(["who sings hello"], k=3)[0]
    assert [len(result.sources) for result in results] == [3, 1, 1]
    told = [(str(hit.shard), hit.answer) for hit in results[0].sources]
    assert told == [("paq/base", "adele"), ("wikidata/P175", "Adele"), ("dbpedia/dbo:artist", "Lionel Richie")]


def test_many_pairs_that_ask_the_same_do_not_push_other_results_out(home: Home) -> None:
    rows = shard_rows(SONGS, [f"who sings hello{'?' * n}" for n in range(70)] + ["who sings bad", "who sings one"])
    Corpus(home).write(SONGS, rows, ORIGIN)
    list(index_corpus(home))
    results = Retriever(home).ask(["who sings hello"], k=3)[0]
    assert [len(result.sources) for result in results] == [70, 1, 1]


def test_a_score_does_not_depend_on_other_shards_or_questions(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele", "who sings hello goodbye": "The Beatles"})
    _fill(home, BOOKS, {"who wrote hello": "Nobody", "who wrote dune": "Frank Herbert"})
    list(index_corpus(home))
    alone = Retriever(home, [SONGS]).ask(["singer of hello"], k=9)[0]
    among = Retriever(home).ask(["who wrote dune", "singer of hello", "hello"], k=9)[1]
    assert [(r.question, r.score) for r in alone] == [(r.question, r.score) for r in among if r.shard == SONGS]


SAYINGS = [f"who {verb} {a} {b}" for verb in ("sings", "wrote") for a in "abcdefghijklmno" for b in "abcdefgh"]


@pytest.mark.parametrize("flat_rows", ["1000", "0"])
def test_the_first_results_do_not_depend_on_how_many_follow_or_on_other_questions_and_shards(
    home: Home, monkeypatch: pytest.MonkeyPatch, flat_rows: str
) -> None:
    """With many pairs that ask the same, words that count much, and more results than there are candidates."""
    monkeypatch.setenv("FACTMILL_FLAT_ROWS", flat_rows)
    settings.cache_clear()
    repeated = [f"who sings it{'?' * n}" for n in range(90)]
    Corpus(home).write(SONGS, shard_rows(SONGS, SAYINGS + repeated), ORIGIN)
    Corpus(home).write(BOOKS, shard_rows(BOOKS, [f"{saying} too" for saying in SAYINGS[::3]]), ORIGIN)
    list(index_corpus(home))
    for weight in (0.2, 5):
        retriever = Retriever(home, word_weight=weight)
        asked = ["who sings it", "who wrote a h", "b c", "who sings d e too", *SAYINGS[:9]]
        together = retriever.ask(asked, 5)
        assert [[r.question for r in ranks] for ranks in together] == [
            [r.question for r in retriever.ask([question], 5)[0]] for question in asked
        ]
        deep = retriever.ask(asked, 70)
        assert [[(r.question, r.score, r.confidence) for r in ranks[:5]] for ranks in deep] == [
            [(r.question, r.score, r.confidence) for r in ranks] for ranks in together
        ]
        queries = retriever.encode(asked)
        one = Retriever(home, [SONGS], word_weight=weight).search(queries, 60)
        both = retriever.search_each(queries, 60)
        assert _as_lists(one) == _as_lists(both[SONGS])
        assert _as_lists(retriever.search(queries, 60)) == _as_lists(merge(list(both.values()), 60))
        assert _as_lists(retriever.search(queries, 7)) == _as_lists(merge(list(both.values()), 7))


def test_the_answer_that_most_shards_give_comes_first_however_often_one_says_another(home: Home) -> None:
    _fill(home, SONGS, {"who sings one": "U2"})
    _fill(home, ARTISTS, {"who sings one": "u2"})
    wrong = {f"who sings one{'?' * n}": "Somebody" for n in range(3)}
    _fill(home, ShardName("paq", "base"), wrong)
    list(index_corpus(home))
    (result,) = Retriever(home).ask(["who sings one"], 1)[0]
    assert normalise_answer(result.answer) == "u2"
    assert result.confidence == pytest.approx(2 / 3)


def test_how_sure_an_answer_is_does_not_depend_on_how_many_are_shown(home: Home) -> None:
    _fill(home, SONGS, {f"who sings hello {n}": f"Singer {n}" for n in range(20)})
    list(index_corpus(home))
    retriever = Retriever(home)
    sure = [retriever.ask(["who sings hello"], k)[0][0].confidence for k in (1, 3, 20)]
    assert sure[0] == sure[1] == sure[2] < 0.5


def test_what_no_one_can_ask_is_refused(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    retriever = Retriever(home)
    with pytest.raises(TypeError, match="a list of questions"):
        retriever.ask("who sings hello")
    with pytest.raises(ValueError, match="at least 1"):
        retriever.ask(["who sings hello"], 0)
    with pytest.raises(ConfigError, match="name at least one shard"):
        Retriever(home, [])
    (broken,) = retriever.ask(["hello \udce9"], 1)[0]
    assert broken.answer == "Adele"


def test_shared_words_can_be_left_out(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    with_words, without = (
        Retriever(home, word_weight=weight).ask(["the singer of hello"])[0][0].score for weight in (0.5, 0)
    )
    cosine = open_encoder("minilm").encode(["who sings hello", "the singer of hello"]).astype(int)
    assert without == cosine[0] @ cosine[1] / 512**2
    assert with_words != without


def test_an_answer_is_surer_if_nothing_near_contradicts_it(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele", "who sings hello there": "Adele"})
    list(index_corpus(home))
    agreed = Retriever(home).ask(["who sings hello"])[0][0].confidence
    _fill(home, SONGS, {"who sings hello": "Adele", "who sings hello there": "Somebody"})
    list(index_corpus(home))
    contradicted = Retriever(home).ask(["who sings hello"])[0][0].confidence
    assert 0 < contradicted < agreed <= 1


def test_retired_pairs_vanish_before_the_index_is_built_again(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele", "who sings bad": "Michael Jackson", "who sings one": "U2"})
    list(index_corpus(home))
    _fill(home, SONGS, {"who sings bad": "MJ", "who sings two": "Nobody"})
    retriever = Retriever(home)
    assert retriever.stale_shards == [SONGS]
    assert [(r.question, r.answer) for r in retriever.ask(["who sings hello"])[0]] == [("who sings bad", "MJ")]


def test_a_retriever_keeps_to_the_version_it_was_made_for(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    retriever = Retriever(home)
    _fill(home, SONGS, {"who sings hello": "Lionel Richie"})
    assert retriever.ask(["who sings hello"])[0][0].answer == "Adele"
    list(index_corpus(home))
    assert retriever.ask(["who sings hello"])[0][0].answer == "Adele"
    assert Retriever(home).ask(["who sings hello"])[0][0].answer == "Lionel Richie"


@pytest.mark.parametrize(
    "question", ["?", "x" * 100_000, "谁唱了 hello", "🚁🚁", "\x00\x1b[31m", "SELECT * FROM facts; --", "{{ 7 * 7 }}"]
)
def test_odd_questions_get_results_like_any_other(home: Home, question: str) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (result,) = Retriever(home).ask([question])[0]
    assert result.answer == "Adele"
    assert -1.01 < result.score < 1.01


def test_no_questions_get_no_results(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    assert Retriever(home).ask([]) == []


def test_an_empty_corpus_and_a_missing_index_say_what_to_do(home: Home, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the corpus is empty"):
        Retriever(home)
    _fill(home, SONGS, {"who sings hello": "Adele"})
    with pytest.raises(IndexFileError, match="wikidata/P175 is not indexed"):
        Retriever(home)
    with pytest.raises(ConfigError, match="is not a factmill home"):
        Retriever(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="there is no encoder 'bert'"):
        Retriever(home, encoder="bert")


@pytest.mark.parametrize("n_live", [150, 2_990])
def test_a_stale_hnsw_shard_finds_nearly_all_of_its_live_rows(
    home: Home, monkeypatch: pytest.MonkeyPatch, n_live: int
) -> None:
    monkeypatch.setenv("FACTMILL_FLAT_ROWS", "0")
    settings.cache_clear()
    corpus = _corpus(home, {SONGS: range(3_000)})
    with Indexer(home, RandomVectors(), corpus) as indexer:
        indexer.update(SONGS)
    corpus = _corpus(home, {SONGS: range(0, 3_000, 20) if n_live == 150 else range(n_live)})
    index = IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)
    assert (index.is_stale, index.n_rows) == (True, n_live)
    queries = RandomVectors().encode([f"query {n}" for n in range(100)])
    found, exact = _as_lists(index.search(queries, 5, 0)), _brute_force(corpus, [SONGS], queries, 5)
    shared = sum(len({s for s, _ in a} & {s for s, _ in b}) for a, b in zip(found, exact, strict=True))
    assert shared / sum(len({score for score, _ in ranks}) for ranks in exact) >= 0.97
