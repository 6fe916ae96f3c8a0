import json
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from factmill.corpus import Corpus
from factmill.home import Home
from factmill.names import ShardName
from factmill.search import Retriever
from factmill.shared_words import QuestionWords
from factmill.steps import index_corpus
from tests.conftest import ROOT, Outcome
from tests.onnx_models import write_cross_encoder
from tests.pairs import ORIGIN, shard_rows

SONGS = ShardName("wikidata", "P175")
ARTISTS = ShardName("dbpedia", "dbo:artist")

Factmill = Callable[..., Outcome]


@pytest.fixture
def filled(home: Home) -> Home:
    long_name = "the extraordinarily long and winding song title that nobody could ever remember in full length"
    known = {"who sings hello": "Adele", f"who sings {long_name}": f"The Band With {long_name}"}
    for shard, answers in ((SONGS, known), (ARTISTS, {"who sings hello": "Lionel Richie"})):
        Corpus(home).write(shard, shard_rows(shard, answers), ORIGIN)
    list(index_corpus(home))
    return home


def test_an_answer_comes_with_its_sources(factmill: Factmill, filled: Home) -> None:
    lines = factmill("ask", "who sings hello", "-k", "1", "--home", filled.root).out.splitlines()
    assert lines[0].split() == ["answer", "score", "sure", "question", "found,", "and", "where", "it", "is", "from"]
    assert lines[2].split() == ["Lionel", "Richie", "1.00", "0.50", "who", "sings", "hello"]
    assert [line.strip() for line in lines[3:]] == ["dbpedia/dbo:artist → Lionel Richie", "wikidata/P175 → Adele"]


def test_json_tells_all_that_is_known_of_each_source(factmill: Factmill, filled: Home) -> None:
    (result,) = json.loads(factmill("ask", "who sings hello", "-k", "1", "--json", "--home", filled.root).out)
    assert (result["answer"], result["shard"], result["rerank_score"]) == (
        ["Lionel Richie"],
        "dbpedia/dbo:artist",
        None,
    )
    assert [(one["shard"], one["answer"]) for one in result["sources"]] == [
        ("dbpedia/dbo:artist", ["Lionel Richie"]),
        ("wikidata/P175", ["Adele"]),
    ]


def test_questions_can_be_typed_one_after_the_other(filled: Home) -> None:
    typed = "who sings hello\n\n" + "\udce9 broken\n".encode("utf-8", "surrogateescape").decode("latin-1") + "hello\n"
    done = subprocess.run(
        [sys.executable, "-m", "factmill", "ask", "-i", "-k", "1", "--json", "--home", str(filled.root)],
        input=typed.encode("latin-1"),
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    first, empty, broken, last = (json.loads(line) for line in done.stdout.decode().splitlines())
    assert first["question"] == "who sings hello"
    assert first["results"][0]["answer"] == last["results"][0]["answer"] == ["Lionel Richie"]
    assert ("is empty" in empty["error"], "not UTF-8" in broken["error"]) == (True, True)


@pytest.mark.parametrize("words", [("--json",), ()])
def test_an_answer_comes_before_the_next_question_is_typed(filled: Home, words: tuple[str, ...]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        [sys.executable, "-m", "factmill", "ask", "-i", "-k", "1", *words, "--home", str(filled.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environment,
    ) as process:
        assert process.stdin
        assert process.stdout
        for _ in range(2):
            process.stdin.write(b"who sings hello\n")
            process.stdin.flush()
            told = b""
            while b"wikidata/P175" not in told:
                ready, _, _ = select.select([process.stdout], [], [], 60)
                assert ready, "no answer came"
                told += os.read(process.stdout.fileno(), 1 << 16)
        process.stdin.close()


def test_what_is_not_indexed_yet_is_left_out_and_named(factmill: Factmill, filled: Home) -> None:
    base = ShardName("paq", "base")
    Corpus(filled).write(base, shard_rows(base, {"who sings hello": "Somebody"}), ORIGIN)
    outcome = factmill("ask", "who sings hello", "-k", "1", "--home", filled.root)
    assert outcome.status == 0
    assert "paq/base is not indexed and left out" in outcome.err
    assert "Somebody" not in outcome.out
    named = factmill("ask", "who sings hello", "--shard", "paq/base", "--home", filled.root)
    assert (named.status, "paq/base is not indexed" in named.err) == (1, True)


def test_a_question_or_interactive_not_both(factmill: Factmill) -> None:
    assert factmill("ask").status == 2
    assert factmill("ask", "who", "--interactive").status == 2


def test_the_table_fits_a_terminal_of_80_columns(filled: Home) -> None:
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "factmill", "ask", "who sings hello", "--home", str(filled.root)]
    process = subprocess.Popen(
        command, stdout=follower, stderr=follower, cwd=ROOT, env=os.environ | {"COLUMNS": "80", "TERM": "xterm"}
    )
    os.close(follower)
    out = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        out += part
    assert process.wait() == 0
    lines = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", out.decode()).replace("\r", "").splitlines()
    assert max(map(len, lines)) <= 80
    assert any("Lionel Richie" in line for line in lines)


def test_a_cross_encoder_orders_the_results(filled: Home, tmp_path: Path) -> None:
    plain = Retriever(filled).ask(["hello"], k=1)[0]
    assert plain[0].question == "who sings hello"
    folder = write_cross_encoder(tmp_path / "cross", "the")
    (best,) = Retriever(filled, reranker=folder).ask(["hello"], k=1)[0]
    assert best.question.startswith("who sings the extraordinarily")
    assert best.rerank_score == 2
    assert Retriever(filled).ask(["hello"], k=1)[0][0].rerank_score is None


def test_of_several_classes_the_share_of_the_last_one_counts(filled: Home, tmp_path: Path) -> None:
    """ "the" speaks for a pair, "hello" more strongly against it: the plain number of "the" would not tell."""
    folder = write_cross_encoder(tmp_path / "cross", "who", against="hello")
    results = Retriever(filled, reranker=folder).ask(["dune"], k=2)[0]
    assert [result.question.split()[2] for result in results] == ["the", "hello"]
    assert [round(result.rerank_score or 0, 3) for result in results] == [-0.313, -2.127]


def test_a_reranker_that_is_none_says_so(factmill: Factmill, filled: Home, tmp_path: Path) -> None:
    outcome = factmill("ask", "hello", "--reranker", tmp_path, "--home", filled.root)
    assert outcome.status == 1
    assert "tokenizer.json is no tokenizer that can be read" in outcome.err


def test_shares_of_words_do_not_depend_on_what_else_is_compared() -> None:
    questions = ["who wrote dune", "who sings hello hello", "", "???", "zzz qqq"]
    texts = ["who wrote dune messiah", "hello", "zzz", "", "who who who wrote it"]
    q, t = np.repeat(np.arange(5), 5), np.tile(np.arange(5), 5)
    together = QuestionWords(questions).shares(texts, q, t)
    alone = [
        QuestionWords([questions[a]]).shares([texts[b]], np.array([0]), np.array([0]))[0]
        for a, b in zip(q, t, strict=True)
    ]
    assert together.tolist() == alone
    assert ((together >= 0) & (together <= 1)).all()
    assert (together[(q == 2) | (q == 3) | (t == 3)] == 0).all()


def test_rare_words_count_more_than_common_ones() -> None:
    shares = QuestionWords(["who wrote dune"]).shares(["who wrote it", "it is dune"], np.zeros(2, int), np.arange(2))
    assert shares[1] > shares[0] > 0
