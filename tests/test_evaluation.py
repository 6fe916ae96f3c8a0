import json
from pathlib import Path

import numpy as np
import pytest

from factmill.ablation.experiment import Experiment
from factmill.ablation.page import ablation_page
from factmill.ablation.result import Ablation, Part
from factmill.ablation.run import run_experiment
from factmill.corpus import Corpus
from factmill.errors import ConfigError, SourceFormatError
from factmill.evaluate import evaluate
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import QuestionSet, read_questions
from factmill.report import write_report
from factmill.scoring.exact import exact_match, normalise_answer
from factmill.steps import index_corpus
from tests.pairs import ORIGIN, shard_rows

BASE = ShardName("paq", "base")


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("The U.S.A.", "usa"),
        ("A", ""),
        ("an-the", "anthe"),
        ("O'Hara", "ohara"),
        ("co-op", "coop"),
        ("1,000", "1000"),
        ("“quoted”", "“quoted”"),
        ("Café  Noir", "café noir"),
        ("the–a", "–"),
    ],
)
def test_answers_are_normalised_as_paq_does(text: str, normalised: str) -> None:
    assert normalise_answer(text) == normalised


def test_exact_match_takes_the_best_gold_answer() -> None:
    assert exact_match("The", ["A"])
    assert exact_match("beatles", ["Queen", "The Beatles"])
    assert not exact_match("Paris", ["Paris, France"])
    assert not exact_match("Paris", [])


@pytest.fixture
def filled(home: Home) -> Home:
    """The base knows one answer; wikidata knows another and spoils the base's; imdb knows a third."""
    shards = {
        BASE: {"who wrote the novel dune": "Frank Herbert", "what is the capital of france": "Paris"},
        ShardName("wikidata", "P175"): {"who sings hello": "Adele", "who wrote dune the novel": "Nobody"},
        ShardName("imdb", "plays_character_in"): {"who plays batman in the dark knight": "Christian Bale"},
    }
    for shard, answers in shards.items():
        Corpus(home).write(shard, shard_rows(shard, answers), ORIGIN)
    list(index_corpus(home))
    return home


QUESTIONS = QuestionSet(
    "q.jsonl",
    "0" * 64,
    ("who wrote dune the novel", "singer of hello", "batman actor in <b>the dark knight</b>", "capital of france"),
    (("Frank Herbert",), ("Adele",), ("Christian Bale",), ("Paris",)),
)


def test_evaluation_counts_exact_matches(filled: Home, tmp_path: Path) -> None:
    result = evaluate(filled, QUESTIONS, output=tmp_path / "out.jsonl").evaluation
    assert [(at.k, at.n_right, at.em) for at in result.at] == [(1, 3, 75.0), (5, 4, 100.0), (50, 4, 100.0)]
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["input_qa"]["question"] for row in rows] == list(QUESTIONS.questions)
    assert [len(row["retrieved_qas"]) for row in rows] == [5, 5, 5, 5]
    assert rows[1]["retrieved_qas"][0]["answer"] == ["Adele"]
    scores = [pair["score"] for pair in rows[0]["retrieved_qas"]]
    assert scores == sorted(scores, reverse=True)


def _ablate(home: Home) -> Ablation:
    path = home.root / "q.jsonl"
    rows = zip(QUESTIONS.questions, QUESTIONS.gold, strict=True)
    path.write_text("".join(json.dumps({"question": question, "answer": gold}) + "\n" for question, gold in rows))
    return run_experiment(home, Experiment(questions=(path,)))


def test_ablation_counts_gains_and_losses_of_each_source(filled: Home) -> None:
    (table,) = _ablate(filled).tables
    found = {variant.name: (variant.n_pairs, variant.at(1).em, variant.at(1).delta) for variant in table.variants}
    assert {
        name: (n_pairs, em, delta and (delta.gained, delta.lost)) for name, (n_pairs, em, delta) in found.items()
    } == {
        "base": (0, 50.0, None),
        "+ imdb": (1, 75.0, ([2], [])),
        "+ wikidata": (2, 50.0, ([1], [0])),
        "+ all": (3, 75.0, ([1, 2], [0])),
    }
    deltas = [variant.at(1).delta for variant in table.variants]
    assert [delta.statistics.p_value for delta in deltas if delta] == [1.0, 1.0, 1.0]


def test_the_base_is_never_added_to_itself(filled: Home) -> None:
    more = ShardName("paq", "more")
    Corpus(filled).write(more, shard_rows(more, {"who sings bad": "Michael Jackson"}), ORIGIN)
    list(index_corpus(filled))
    variants = {variant.name: variant for variant in _ablate(filled).tables[0].variants}
    assert (variants["+ paq"].parts, variants["+ paq"].n_pairs) == ([Part(more)], 1)


def test_merged_rankings_give_what_searching_the_shards_together_gives(filled: Home) -> None:
    for variant in _ablate(filled).tables[0].variants:
        direct = evaluate(filled, QUESTIONS, [BASE, *(part.shard for part in variant.parts)]).evaluation
        assert (direct.em(1), direct.em(5)) == (variant.at(1).em, variant.at(5).em)


def test_the_report_is_written_whole_and_escapes_data(filled: Home) -> None:
    result = _ablate(filled)
    page = write_report(filled, result)
    text = page.read_text(encoding="utf-8")
    assert text == ablation_page(result)
    assert "<li>batman actor in &lt;b&gt;the dark knight&lt;/b&gt; [" in text
    assert "<b>" not in text
    assert "http://" not in text
    assert "https://" not in text
    (table,) = json.loads((page.parent / "metrics.json").read_text())["tables"]
    assert [variant["name"] for variant in table["variants"]] == ["base", "+ imdb", "+ wikidata", "+ all"]
    lines = (page.parent / "ablation.csv").read_text().splitlines()
    assert lines[1] == "by source,q.jsonl,base,0,50.0,,,,,,,,,50.0,,,,,,,,"
    assert lines[0].startswith("table,questions,corpus,pairs added,EM-1,EM-1 delta,EM-1 low,EM-1 high,EM-1 gained,")


def test_a_missing_base_says_what_to_do(home: Home) -> None:
    shard = ShardName("wikidata", "P175")
    Corpus(home).write(shard, shard_rows(shard, ["a"]), ORIGIN)
    list(index_corpus(home))
    with pytest.raises(ConfigError, match="Import one with `factmill corpus import FILE --as paq/base`"):
        _ablate(home)


def test_a_line_that_is_no_question_is_named(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "a", "answer": ["b"]}\n{"question": "a"}\n')
    with pytest.raises(SourceFormatError, match="line 2: no answer"):
        read_questions(path)


def test_marks_stay_with_their_pairs() -> None:
    from factmill.ranking import Ranking, merge

    def ranking(scores: list[int], right: list[bool]) -> Ranking:
        ids = np.array([range(len(scores))], np.uint64)
        shards, rows = np.zeros((1, len(scores)), np.int16), np.zeros((1, len(scores)), np.int32)
        return Ranking(np.array([scores], np.int32), shards, rows, ids, ids, np.array([right]))

    merged = merge([ranking([9, 1], [False, True]), ranking([5, 4], [True, False])], 3)
    assert merged.scores.tolist() == [[9, 5, 4]]
    assert merged.right.tolist() == [[False, True, False]]
