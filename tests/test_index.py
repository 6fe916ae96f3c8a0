import json
import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock

from factmill import known_files
from factmill.corpus import Corpus
from factmill.corpus_version import CorpusVersion
from factmill.encoders import Vectors, open_encoder
from factmill.errors import ConfigError, IndexFileError
from factmill.home import Home
from factmill.index import IndexedShard, Indexer
from factmill.index_files import IndexFolder
from factmill.index_manifest import IndexManifest
from factmill.index_shard import IndexShard
from factmill.names import ShardName
from factmill.search import Retriever
from factmill.segment_builder import Stopped
from factmill.settings import settings
from factmill.steps import index_corpus
from factmill.vector_sum import VectorSum
from tests.conftest import resize_disk
from tests.pairs import ORIGIN, shard_rows
from tests.vectors import RandomVectors

SONGS = ShardName("wikidata", "P175")
BOOKS = ShardName("wikidata", "P50")


def _fill(home: Home, shard: ShardName, answers: dict[str, str]) -> None:
    Corpus(home).write(shard, shard_rows(shard, answers), ORIGIN)


def _numbered(home: Home, numbers: Sequence[int]) -> CorpusVersion:
    Corpus(home).write(SONGS, shard_rows(SONGS, [f"question {n}" for n in numbers]), ORIGIN)
    return Corpus(home).latest()


def _update(home: Home, corpus: CorpusVersion, *, rebuild: bool = False) -> IndexedShard:
    with Indexer(home, RandomVectors(), corpus) as indexer:
        return indexer.update(SONGS, rebuild=rebuild)


def _manifest(home: Home) -> IndexManifest:
    manifest = IndexFolder.of(home, "random", SONGS).manifest()
    assert manifest
    return manifest


def _shape(home: Home) -> list[tuple[str, int, int]]:
    """Kind, rows and live rows of each segment."""
    return [(one.segment.kind, one.segment.rows, one.live) for one in _manifest(home).segments]


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flat up to 100 rows, segments of 1,000."""
    monkeypatch.setenv("FACTMILL_FLAT_ROWS", "100")
    monkeypatch.setenv("FACTMILL_SEGMENT_ROWS", "1000")
    settings.cache_clear()


def test_only_what_changed_is_indexed_again(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    _fill(home, BOOKS, {"who wrote dune": "Frank Herbert"})
    list(index_corpus(home))
    _fill(home, BOOKS, {"who wrote dune": "F. Herbert"})
    assert [one.was_built for one in index_corpus(home)] == [False, False], "a new answer needs no new vector"
    assert Retriever(home).stale_shards == []
    assert Retriever(home).ask(["who wrote dune"])[0][0].answer == "F. Herbert"
    _fill(home, BOOKS, {"who wrote dune": "F. Herbert", "who wrote the novel dune": "Frank Herbert"})
    assert [(str(one.shard), one.was_built, one.n_encoded) for one in index_corpus(home)] == [
        ("wikidata/P175", False, 0),
        ("wikidata/P50", True, 1),
    ]


@pytest.mark.usefixtures("small_segments")
def test_a_change_of_a_large_shard_costs_itself(home: Home) -> None:
    assert _update(home, _numbered(home, range(900))) == IndexedShard(900, 900, 1)
    assert _shape(home) == [("hnsw", 900, 900)]
    assert _update(home, _numbered(home, range(20, 910))) == IndexedShard(890, 10, 1)
    assert _shape(home) == [("hnsw", 900, 880), ("flat", 10, 10)]
    assert _update(home, _numbered(home, range(20, 940))) == IndexedShard(920, 30, 1)
    assert _shape(home) == [("hnsw", 900, 880), ("flat", 40, 40)]
    assert _update(home, _numbered(home, range(30, 930))) == IndexedShard(900, 0, 1)
    assert _shape(home) == [("hnsw", 900, 870), ("flat", 30, 30)]


@pytest.mark.usefixtures("small_segments")
def test_pairs_that_come_back_are_not_encoded_again(home: Home) -> None:
    _update(home, _numbered(home, range(900)))
    _update(home, _numbered(home, range(850)))
    assert _shape(home) == [("hnsw", 900, 850)]
    assert _update(home, _numbered(home, range(900))) == IndexedShard(900, 0, 0)
    assert _shape(home) == [("hnsw", 900, 900)]


@pytest.mark.usefixtures("small_segments")
def test_an_index_is_built_anew_from_its_vectors_when_the_flat_part_has_grown(home: Home) -> None:
    _update(home, _numbered(home, range(900)))
    _update(home, _numbered(home, range(980)))
    assert _shape(home) == [("hnsw", 900, 900), ("flat", 80, 80)]
    assert _update(home, _numbered(home, range(1_010))).n_encoded == 30
    assert _shape(home) == [("hnsw", 900, 900), ("hnsw", 110, 110)]


@pytest.mark.usefixtures("small_segments")
def test_a_segment_of_which_much_is_retired_is_dissolved(home: Home) -> None:
    _update(home, _numbered(home, range(900)))
    assert _update(home, _numbered(home, range(590))) == IndexedShard(590, 0, 1)
    assert _shape(home) == [("hnsw", 590, 590)]


@pytest.mark.usefixtures("small_segments")
def test_large_shards_have_several_segments_which_stay(home: Home) -> None:
    assert _update(home, _numbered(home, range(2_700))) == IndexedShard(2_700, 2_700, 3)
    assert _shape(home) == [("hnsw", 900, 900)] * 3
    names = [one.segment.name for one in _manifest(home).segments]
    assert _update(home, _numbered(home, range(3_100))) == IndexedShard(3_100, 400, 1)
    assert [one.segment.name for one in _manifest(home).segments][:3] == names


@pytest.mark.usefixtures("small_segments")
def test_however_an_index_came_about_its_digest_and_exact_results_are_the_same(home: Home, tmp_path: Path) -> None:
    for numbers in (range(700), range(50, 760), range(10, 790), range(40, 1_400), range(1_300)):
        _update(home, _numbered(home, numbers))
    other = Home.open(tmp_path / "other", create=True)
    _update(other, _numbered(other, range(1_300)))
    assert _shape(home) != _shape(other)
    assert _manifest(home).digest == _manifest(other).digest
    queries = RandomVectors().encode([f"query {n}" for n in range(30)])
    ours, theirs = (
        IndexShard(IndexFolder.of(one, "random", SONGS), RandomVectors(), Corpus(one).latest()).search(
            queries, 7, 0, exact=True
        )
        for one in (home, other)
    )
    assert (ours.scores == theirs.scores).all()
    assert (ours.ids == theirs.ids).all()
    assert (ours.rows == theirs.rows).all()


def test_the_digest_tells_other_vectors_and_other_pairs() -> None:
    keys = np.arange(30, dtype=np.uint64).reshape(10, 3)
    vectors = RandomVectors().encode([f"q {n}" for n in range(10)])[:, :381]
    digits = VectorSum().add(keys, vectors).digits()
    order = np.random.default_rng(0).permutation(10)
    assert VectorSum().add(keys[order], vectors[order]).digits() == digits
    assert VectorSum().add(keys, vectors).subtract(keys[3:], vectors[3:]).digits() == (
        VectorSum().add(keys[:3], vectors[:3]).digits()
    )
    changed = vectors.copy()
    changed[9, 380] += 1
    assert VectorSum().add(keys, changed).digits() != digits
    assert VectorSum().add(keys, vectors[order]).digits() != digits


@pytest.mark.parametrize("suffix", [".faiss", ".ids.npy", ".rows.npy", ".arrow", "manifest.json"])
def test_a_damaged_index_is_refused_and_mended_by_a_check(home: Home, suffix: str) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (file,) = home.index("minilm").rglob(f"*{suffix}")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(IndexFileError, match=r"is damaged: .* Run `factmill index --check`"):
        Retriever(home)
    list(index_corpus(home, check=True))
    assert Retriever(home).ask(["who sings hello"])[0][0].answer == "Adele"


def test_a_foreign_file_is_refused_before_faiss_reads_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (file,) = home.index("minilm").rglob("*.faiss")
    file.write_bytes(b"IxFI" + b"\xff" * 100)

    def never(*_: object) -> None:
        raise AssertionError("FAISS has read it")

    monkeypatch.setattr("faiss.read_index", never)
    with pytest.raises(IndexFileError, match="is not the file that was written"):
        Retriever(home)


@pytest.mark.parametrize(
    ("field", "value"), [("name", "../../../etc/passwd"), ("rows", -1), ("vectors_sha256", "x"), ("kind", "ivf")]
)
def test_a_hostile_manifest_is_refused(home: Home, field: str, value: object) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (file,) = home.index("minilm").rglob("manifest.json")
    manifest = json.loads(file.read_text())
    manifest["segments"][0]["segment"][field] = value
    file.write_text(json.dumps(manifest))
    with pytest.raises(IndexFileError, match="its manifest cannot be read"):
        Retriever(home)


@pytest.mark.parametrize("suffix", [".faiss", ".arrow"])
def test_a_missing_index_file_is_built_again(home: Home, suffix: str) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (file,) = home.index("minilm").rglob(f"*{suffix}")
    file.unlink()
    with pytest.raises(IndexFileError, match=r"is missing. Run `factmill index --check`"):
        Retriever(home)
    list(index_corpus(home))
    assert Retriever(home).ask(["who sings hello"])[0][0].answer == "Adele"


def test_an_index_of_an_older_factmill_counts_as_none(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (manifest,) = home.index("minilm").rglob("manifest.json")
    manifest.write_text('{"format": 1, "shard": "wikidata/P175", "kind": "flat"}')
    with pytest.raises(IndexFileError, match=r"is not indexed\. Run `factmill index`"):
        Retriever(home)
    list(index_corpus(home))
    assert Retriever(home).ask(["who sings hello"])[0][0].answer == "Adele"


def test_an_index_of_another_encoder_is_refused_and_built_anew(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    list(index_corpus(home))
    (manifest,) = home.index("minilm").rglob("manifest.json")
    manifest.write_text(manifest.read_text().replace(open_encoder("minilm").digest, "f" * 16))
    with pytest.raises(IndexFileError, match="was made by another encoder"):
        Retriever(home)
    list(index_corpus(home))
    assert Retriever(home).ask(["who sings hello"])[0][0].answer == "Adele"


class _Interrupted(RandomVectors):
    """Vectors of some questions, and then Ctrl-C."""

    def __init__(self, n_before: int) -> None:
        super().__init__()
        self._n_before = n_before

    def encode(self, questions: Sequence[str]) -> Vectors:
        if self.n_encoded + len(questions) > self._n_before:
            raise KeyboardInterrupt
        return super().encode(questions)


def test_an_interrupted_build_leaves_the_old_index_and_its_vectors_to_the_next(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmill.segment_builder._ROWS_A_CHUNK", 1_500)
    _update(home, _numbered(home, range(10)))
    corpus = _numbered(home, range(7_000))
    encoder = _Interrupted(4_500)
    with pytest.raises(KeyboardInterrupt), Indexer(home, encoder, corpus) as indexer:
        indexer.update(SONGS)
    assert _shape(home) == [("flat", 10, 10)]
    assert IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus).n_rows == 10
    damaged = sorted((IndexFolder.of(home, "random", SONGS).path / "unfinished").glob("*.npy"))[0]
    n_lost = len(np.load(damaged))
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"\x7f")
    assert _update(home, corpus).n_encoded == 7_000 - 10 - (encoder.n_encoded - n_lost)
    assert not (IndexFolder.of(home, "random", SONGS).path / "unfinished").exists()


@pytest.mark.usefixtures("small_segments")
def test_whole_segments_of_an_interrupted_build_are_taken(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = _numbered(home, range(2_700))

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("factmill.index_files.IndexFolder.publish", fail)
        with pytest.raises(KeyboardInterrupt):
            _update(home, corpus)
    assert _update(home, corpus) == IndexedShard(2_700, 0, 3)


def test_a_full_disk_leaves_the_old_index(small_disk: Path) -> None:
    home = Home.open(small_disk / "home", create=True)
    _update(home, _numbered(home, range(10)))
    corpus = _numbered(home, range(3_000))
    resize_disk(small_disk, 2_000)
    with pytest.raises(ConfigError, match=r"is full\. The old index still serves"):
        _update(home, corpus)
    assert _shape(home) == [("flat", 10, 10)]
    resize_disk(small_disk, 8_000)
    assert _update(home, corpus).n_rows == 3_000


def test_shards_that_were_emptied_are_no_trouble(home: Home) -> None:
    _update(home, _numbered(home, range(10)))
    assert _update(home, _numbered(home, [])) == IndexedShard(0, 0, 0)
    index = IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), Corpus(home).latest())
    assert index.search(RandomVectors().encode(["query 1"]), 5, 0).depth(0) == 0


class ShiftedVectors(RandomVectors):
    """Other vectors for the same questions, so that every build writes other files."""

    def __init__(self, seed: int, digest: str | None = None) -> None:
        super().__init__()
        self._seed = seed
        self.digest = digest or f"{seed:016x}"

    def encode(self, questions: Sequence[str]) -> Vectors:
        return np.roll(super().encode(questions), self._seed, axis=1)


def test_readers_and_builders_at_once_never_see_a_damaged_index(home: Home) -> None:
    """Two processes publish new indexes of one shard while this one reads."""
    corpus = _numbered(home, range(20))
    context = multiprocessing.get_context("spawn")
    builders = [context.Process(target=_build_often, args=(home.root, seed)) for seed in (1, 2)]
    _update(home, corpus)
    for builder in builders:
        builder.start()
    n_reads = 0
    while any(builder.is_alive() for builder in builders):
        try:
            IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)
        except IndexFileError as error:
            assert "was made by another encoder" in str(error)  # noqa: PT017 (the other process may be ahead)
        n_reads += 1
    assert [builder.exitcode for builder in builders] == [0, 0]
    assert n_reads > 10


def test_a_rebuild_that_gives_other_vectors_leaves_the_old_index_until_it_is_whole(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on another machine, or with other versions of the libraries."""
    corpus = _numbered(home, range(200))
    _update(home, corpus)
    folder = IndexFolder.of(home, "random", SONGS)
    queries = RandomVectors().encode(["query 1"])
    before = IndexShard(folder, RandomVectors(), corpus).search(queries, 5, 0)

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    other = ShiftedVectors(7, RandomVectors.digest)
    with monkeypatch.context() as patched:
        patched.setattr("factmill.index_files.IndexFolder.publish", fail)
        with pytest.raises(KeyboardInterrupt), Indexer(home, other, corpus) as indexer:
            indexer.update(SONGS, rebuild=True)
    after = IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus).search(queries, 5, 0)
    assert (after.scores == before.scores).all()
    assert (after.ids == before.ids).all()


def test_one_failing_shard_tells_its_own_error(home: Home) -> None:
    class Failing(RandomVectors):
        def encode(self, questions: Sequence[str]) -> Vectors:
            if "question 7" in questions:
                raise ConfigError("question 7 cannot be encoded.")
            return super().encode(questions)

    for number in range(9):
        shard = ShardName("wikidata", f"P{number + 1}")
        Corpus(home).write(shard, shard_rows(shard, [f"question {number}"]), ORIGIN)
    open_encoder.cache_clear()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("factmill.encoders.open_encoder", lambda _: Failing())
        with pytest.raises(ConfigError, match="question 7 cannot be encoded"):
            list(index_corpus(home))


def test_a_builder_that_comes_late_does_not_put_an_older_index_in_place(home: Home) -> None:
    older = _numbered(home, range(10))
    newer = _numbered(home, range(20))
    _update(home, newer)
    assert _update(home, older) == IndexedShard(20, 0, 0)
    assert _shape(home) == [("flat", 20, 20)]


def test_waiting_for_another_builder_can_be_given_up(home: Home) -> None:
    corpus = _numbered(home, range(10))
    folder = IndexFolder.of(home, "random", SONGS).path
    folder.mkdir(parents=True)
    with FileLock(folder / ".lock"), Indexer(home, RandomVectors(), corpus) as indexer, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(indexer.update, SONGS)
        with pytest.raises(TimeoutError):
            waiting.result(0.7)
        indexer.stop()
        with pytest.raises(Stopped):
            waiting.result(5)


@pytest.mark.usefixtures("small_segments")
def test_what_is_damaged_costs_itself(home: Home) -> None:
    corpus = _numbered(home, range(2_700))
    _update(home, corpus)
    file = IndexFolder.of(home, "random", SONGS).vectors(_manifest(home).segments[1].segment.vectors_sha256)
    file.write_bytes(file.read_bytes()[:-1] + b"\x55")
    with Indexer(home, RandomVectors(), corpus) as indexer:
        assert indexer.update(SONGS, check=True) == IndexedShard(2_700, 900, 1)
        assert indexer.update(SONGS, check=True) == IndexedShard(2_700, 0, 0)


def test_files_that_were_read_before_are_not_read_again_for_their_digests(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = _numbered(home, range(10))
    _update(home, corpus)
    monkeypatch.setattr("factmill.known_files._SETTLED_NANOSECONDS", 0)
    digested = []
    plain = known_files.digest_of

    def noted(file: Path) -> str:
        digested.append(file.name)
        return plain(file)

    monkeypatch.setattr(known_files, "digest_of", noted)
    for _ in range(2):
        IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)
    assert len(digested) == len(set(digested)) == 4
    for file in digested:
        path = IndexFolder.of(home, "random", SONGS).path / file
        path.write_bytes(path.read_bytes())
    IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)
    assert len(digested) == 8


def test_the_index_of_a_shard_that_was_dropped_is_cleared_away(home: Home) -> None:
    _fill(home, SONGS, {"who sings hello": "Adele"})
    _fill(home, BOOKS, {"who wrote dune": "Frank Herbert"})
    list(index_corpus(home))
    foreign = home.index("minilm") / "wikidata" / "P50" / "my notes.txt"
    foreign.write_text("mine")
    Corpus(home).drop(BOOKS, ORIGIN)
    list(index_corpus(home))
    assert sorted(path.name for path in (home.index("minilm") / "wikidata").iterdir()) == ["P175", "P50"]
    assert list(foreign.parent.iterdir()) == [foreign]


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.update(format=99),
        lambda manifest: manifest.update(segments=manifest["segments"] * 2),
        lambda manifest: manifest.update(segments=[]),
        lambda manifest: manifest["segments"][0].update(live=0),
        lambda manifest: manifest.update(shard="wikidata/P50"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_refused(home: Home, change: Callable[[dict[str, Any]], object]) -> None:
    corpus = _numbered(home, range(10))
    _update(home, corpus)
    file = IndexFolder.of(home, "random", SONGS).path / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    file.write_text(json.dumps(manifest))
    with pytest.raises(IndexFileError, match="is damaged"):
        IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)
    assert _update(home, corpus).n_rows == 10
    file.write_text("[" * 100_000)
    with pytest.raises(IndexFileError, match="is damaged"):
        IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)


def _build_often(root: Path, seed: int) -> None:
    home = Home.open(root)
    corpus = Corpus(home).latest()
    for number in range(40):
        with Indexer(home, ShiftedVectors(seed + 2 * number), corpus) as indexer:
            indexer.update(SONGS)


def test_a_killed_build_leaves_the_old_index_and_the_next_one_completes(home: Home) -> None:
    """SIGKILL at 20 moments, from before the first file to after the manifest."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.test_index"])
    versions = (range(3_000), range(30, 3_030))
    digests = {}
    for version in versions:
        _update(home, _numbered(home, version))
        digests[version] = _manifest(home).digest
    _run_build(context, home.root, None)
    started = time.monotonic()
    _run_build(context, home.root, None)
    seconds = time.monotonic() - started
    n_killed = 0
    for moment in range(20):
        version = versions[moment % 2]
        corpus = _numbered(home, version)
        n_killed += _run_build(context, home.root, moment / 18 * seconds) == -signal.SIGKILL
        index = IndexShard(IndexFolder.of(home, "random", SONGS), RandomVectors(), corpus)
        assert index.n_rows == (2_970 if index.is_stale else 3_000)
        _update(home, corpus)
        assert _manifest(home).digest == digests[version]
    assert n_killed >= 10


def _run_build(context: multiprocessing.context.ForkServerContext, root: Path, seconds: float | None) -> int | None:
    process = context.Process(target=_build_once, args=(root,))
    process.start()
    process.join(seconds)
    process.kill()
    process.join()
    return process.exitcode


def _build_once(root: Path) -> None:
    home = Home.open(root)
    _update(home, Corpus(home).latest(), rebuild=True)
