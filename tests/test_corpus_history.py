"""Versions of the corpus: the log, what differs between two, and versions that are not there or not any more."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable, write_deltalake

from factmill.changes import Change, Changes
from factmill.corpus import Corpus, Origin
from factmill.corpus_log import LogEntry, read_log
from factmill.delta import FileLife, file_lives, shard_predicate
from factmill.errors import ConfigError, CorpusError
from factmill.history import ShardDiff, diff_versions
from factmill.home import Home
from factmill.names import ShardName
from tests.conftest import Outcome
from tests.pairs import ORIGIN, scatter, shard_rows

Factmill = Callable[..., Outcome]

SONGS = ShardName("wikidata", "P175")
FILMS = ShardName("dbpedia", "dbo:starring", "inverse")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home whose path Delta percent-encodes."""
    return Home.open(tmp_path / "mein Ordner é", create=True)


def _told(entry: LogEntry) -> tuple[int, str, str | None, int | None, Changes | None]:
    return entry.version, entry.operation, entry.shard, entry.n_rows, entry.changes


def test_a_diff_counts_what_is_added_changed_and_retired_and_shows_some(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(FILMS, shard_rows(FILMS, {"x": "1"}), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, {"a": "1", "b": "2", "c": "3"}), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, {"a": "1", "b": "other", "d": "4"}), ORIGIN)
    found = diff_versions(home)
    assert (found.old, found.new, found.n_same_shards, found.n_same_pairs) == (2, 3, 1, 1)
    assert found.total == Changes(1, 1, 1, 2)
    assert found.shards == [
        ShardDiff(
            SONGS,
            Changes(n_added=1, n_changed=1, n_retired=1, n_unchanged=1),
            [
                Change("added", "d", ["4"], None, None),
                Change("changed", "b", ["other"], "b", ["2"]),
                Change("retired", None, None, "c", ["3"]),
            ],
        )
    ]


def test_samples_are_the_first_ones_and_as_many_as_asked_for(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    rows = shard_rows(SONGS, ["a", *(f"q{n}" for n in range(50))])
    corpus.write(SONGS, rows, ORIGIN)
    shown = [change.question for change in diff_versions(home, n_samples=4).shards[0].samples]
    assert shown == [question for question in rows["question"].to_pylist() if question != "a"][:4]
    assert diff_versions(home, n_samples=0).shards[0].samples == []


def test_a_shard_that_came_or_went_is_added_or_retired(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a", "b"]), ORIGIN)
    corpus.write(FILMS, shard_rows(FILMS, ["x"]), ORIGIN)
    corpus.drop(SONGS, ORIGIN)
    changes = {str(diff.shard): diff.changes for diff in diff_versions(home, 1, 3).shards}
    assert changes == {str(FILMS): Changes(1, 0, 0, 0), str(SONGS): Changes(0, 0, 2, 0)}
    back = {str(diff.shard): diff.changes for diff in diff_versions(home, 3, 1).shards}
    assert back == {str(FILMS): Changes(0, 0, 1, 0), str(SONGS): Changes(2, 0, 0, 0)}


def test_a_shard_written_anew_with_the_same_questions_and_answers_has_no_changes(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), Origin("test", "1", "another template", None))
    assert diff_versions(home).shards == [ShardDiff(SONGS, Changes(0, 0, 0, 1), [])]


def test_a_shard_with_the_same_digest_is_not_read(home: Home) -> None:
    """Its files hold nonsense, and nobody notices; of a shard that differs somebody does."""
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a", "b"]), ORIGIN)
    corpus.write(FILMS, shard_rows(FILMS, ["x"]), ORIGIN)
    for file in corpus.latest().files(SONGS):
        file.path.write_bytes(b"nonsense")
    found = diff_versions(home)
    assert [diff.shard for diff in found.shards] == [FILMS]
    assert (found.n_same_shards, found.n_same_pairs) == (1, 2)
    with pytest.raises(CorpusError, match="cannot read wikidata/P175 from the corpus, a file is damaged"):
        diff_versions(home, 0)


def test_a_diff_can_be_narrowed_to_shards(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    corpus.write(FILMS, shard_rows(FILMS, ["x"]), ORIGIN)
    assert [diff.shard for diff in diff_versions(home, 0, shards=[FILMS]).shards] == [FILMS]
    with pytest.raises(ConfigError, match="wikidata/P1 is in neither version 0 nor 2"):
        diff_versions(home, 0, shards=[ShardName("wikidata", "P1")])


def test_a_version_from_before_a_column_was_added_can_be_compared(home: Home) -> None:
    """The file of the first version lacks most columns."""
    corpus = Corpus(home)
    rows = shard_rows(SONGS, ["a"]).select(["qa_id", "question", "answer", "source", "predicate", "kind"])
    write_deltalake(home.corpus, rows, partition_by=["source", "predicate"])
    corpus.write(SONGS, shard_rows(SONGS, ["a", "b"]), ORIGIN)
    assert diff_versions(home, 0).shards[0].changes == Changes(1, 0, 0, 1)


def test_a_shard_in_many_files_is_compared_as_one(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(FILMS, shard_rows(FILMS, [f"q{n}" for n in range(10)]), ORIGIN)
    scatter(home, FILMS, 5)
    corpus.write(FILMS, shard_rows(FILMS, [f"q{n}" for n in range(2, 11)]), ORIGIN)
    assert diff_versions(home).shards[0].changes == Changes(1, 0, 2, 8)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (9, None, "the corpus has no version 9, they go from 0 to 1. See `factmill corpus log`."),
        (0, 2, "the corpus has no version 2"),
        (-1, None, "the corpus has no version -1"),
    ],
)
def test_a_version_that_does_not_exist_is_named(home: Home, old: int, new: int | None, message: str) -> None:
    Corpus(home).write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    with pytest.raises(ConfigError, match=message):
        diff_versions(home, old, new)


def test_an_empty_corpus_has_no_versions(home: Home) -> None:
    with pytest.raises(ConfigError, match="the corpus is empty"):
        diff_versions(home)
    assert read_log(home) == []


def test_an_old_version_can_be_read_by_its_number(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, ["b"]), ORIGIN)
    assert corpus.at(1).rows(SONGS).equals(shard_rows(SONGS, ["a"]))
    assert corpus.at(0).shards() == {}


def test_a_version_whose_files_are_gone_says_so(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, ["b"]), ORIGIN)
    (old,) = corpus.at(1).files(SONGS)
    old.path.unlink()
    message = (
        "version 1 of the corpus cannot be read any more: 1 of 1 files of wikidata/P175 are gone. `factmill corpus v"
    )
    with pytest.raises(CorpusError, match=message):
        diff_versions(home)
    with pytest.raises(CorpusError, match=message):
        corpus.at(1).rows(SONGS)
    assert corpus.latest().rows(SONGS).num_rows == 1


def test_the_log_tells_what_each_commit_did_and_from_what(home: Home) -> None:
    corpus = Corpus(home)
    first = corpus.write(SONGS, shard_rows(SONGS, ["a"]), Origin("run-1", "2026-11-01", "abc", None))
    corpus.write(FILMS, shard_rows(FILMS, ["x"]), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, ["a", "b"]), ORIGIN)
    log = read_log(home)
    assert [_told(entry) for entry in log] == [
        (3, "write", "wikidata/P175", 2, Changes(1, 0, 0, 1)),
        (2, "write", str(FILMS), 1, Changes(1, 0, 0, 0)),
        (1, "write", "wikidata/P175", 1, Changes(1, 0, 0, 0)),
        (0, "create", None, None, None),
    ]
    entry = log[2]
    assert (entry.run, entry.snapshot, entry.template_digest, entry.licence) == ("run-1", "2026-11-01", "abc", None)
    assert (entry.digest, entry.is_readable) == (first.digest, True)
    assert log[0].licence == "CC0-1.0"
    assert [entry.version for entry in read_log(home, SONGS)] == [3, 1]


def test_the_log_shows_commits_of_other_tools_too(home: Home) -> None:
    Corpus(home).write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    DeltaTable(home.corpus).delete(shard_predicate(SONGS))
    assert _told(read_log(home)[0]) == (2, "delete", None, None, None)


def test_the_log_tells_which_versions_can_be_read(home: Home) -> None:
    corpus = Corpus(home)
    for questions in (["a"], ["b"], ["c"]):
        corpus.write(FILMS, shard_rows(FILMS, questions), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, ["s"]), ORIGIN)
    corpus.at(2).files(FILMS)[0].path.unlink()
    assert {entry.version: entry.is_readable for entry in read_log(home)} == {
        0: True,
        1: True,
        2: False,
        3: True,
        4: True,
    }


def test_the_log_knows_which_versions_need_a_file(home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(FILMS, shard_rows(FILMS, ["a"]), ORIGIN)
    corpus.write(FILMS, shard_rows(FILMS, ["b"]), ORIGIN)
    (first,), (second,) = corpus.at(1).files(FILMS), corpus.at(2).files(FILMS)
    assert file_lives(home.corpus) == [FileLife(first.path, 1, 2), FileLife(second.path, 2, None)]
    assert first.path.exists()


def test_the_commands_show_log_and_diff(factmill: Factmill, home: Home) -> None:
    corpus = Corpus(home)
    corpus.write(SONGS, shard_rows(SONGS, {"who sings hello": "Adele"}), ORIGIN)
    corpus.write(SONGS, shard_rows(SONGS, {"who sings hello": "Lionel Richie", "who sings bad": "MJ"}), ORIGIN)
    out = factmill("corpus", "diff", "--home", home.root).out
    assert "wikidata/P175: changed: who sings hello → Adele becomes who sings hello → Lionel Richie\n" in out
    assert "From version 1 to 2: 1 added, 1 changed, 0 retired, 0 unchanged; 0 shards the same.\n" in out
    told = json.loads(factmill("corpus", "diff", "0", "1", "-n", "0", "--home", home.root, "--json").out)
    assert told == {
        "old": 0,
        "new": 1,
        "shards": [
            {
                "shard": "wikidata/P175",
                "changes": {"n_added": 1, "n_changed": 0, "n_retired": 0, "n_unchanged": 0},
                "samples": [],
            }
        ],
        "n_same_shards": 0,
        "n_same_pairs": 0,
    }
    log = json.loads(factmill("corpus", "log", "-n", "1", "--home", home.root, "--json").out)
    assert [entry["version"] for entry in log] == [2]
    assert " create " in factmill("corpus", "log", "--home", home.root).out
    assert (
        "No version wrote wikidata/P1." in factmill("corpus", "log", "--shard", "wikidata/P1", "--home", home.root).out
    )
    missing = factmill("corpus", "diff", "7", "--home", home.root)
    assert (missing.status, "the corpus has no version 7" in missing.err) == (1, True)
