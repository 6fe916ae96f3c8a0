import json
from pathlib import Path

import numpy as np
import pytest

from factmill.ablate import ablate_by_source
from factmill.corpus import Corpus
from factmill.errors import ConfigError, SourceFormatError
from factmill.evaluate import evaluate
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import QuestionSet, read_questions
from factmill.report import render_report, write_report
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
    ("who wrote dune the novel", "singer of hello", "batman actor in the dark knight", "capital of <b>france</b>"),
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


def test_ablation_counts_gains_and_losses_of_each_source(filled: Home) -> None:
    result = ablate_by_source(filled, QUESTIONS, BASE)
    table = {v.name: (v.n_pairs_added, v.em_1, v.at_1.gained, v.at_1.lost) for v in result.variants}
    spoilt, sung, played, _ = QUESTIONS.questions
    assert table == {
        "base": (0, 50.0, [], []),
        "+ imdb": (1, 75.0, [played], []),
        "+ wikidata": (2, 50.0, [sung], [spoilt]),
        "+ all": (3, 75.0, [sung, played], [spoilt]),
    }
    p_values = {variant.name: variant.at_1.p_value for variant in result.variants}
    assert p_values == {"base": 1.0, "+ imdb": 1.0, "+ wikidata": 1.0, "+ all": 1.0}


def test_the_base_is_never_added_to_itself(filled: Home) -> None:
    more = ShardName("paq", "more")
    Corpus(filled).write(more, shard_rows(more, {"who sings bad": "Michael Jackson"}), ORIGIN)
    list(index_corpus(filled))
    variants = {variant.name: variant for variant in ablate_by_source(filled, QUESTIONS, BASE).variants}
    assert (variants["+ paq"].shards, variants["+ paq"].n_pairs_added) == ([more], 1)


def test_merged_rankings_give_what_searching_the_shards_together_gives(filled: Home) -> None:
    result = ablate_by_source(filled, QUESTIONS, BASE)
    for variant in result.variants:
        direct = evaluate(filled, QUESTIONS, [BASE, *variant.shards]).evaluation
        assert (direct.em(1), direct.em(5)) == (variant.em_1, variant.em_5)


def test_the_report_is_written_whole_and_escapes_data(filled: Home) -> None:
    result = ablate_by_source(filled, QUESTIONS, BASE)
    page = write_report(filled, result)
    text = page.read_text(encoding="utf-8")
    assert text == render_report(result)
    assert "<b>france</b>" not in text
    assert "http://" not in text
    assert "https://" not in text
    metrics = json.loads((page.parent / "metrics.json").read_text())
    assert [variant["name"] for variant in metrics["variants"]] == ["base", "+ imdb", "+ wikidata", "+ all"]
    assert (page.parent / "ablation.csv").read_text().splitlines()[1] == "base,0,50.0,50.0,,,"


def test_a_missing_base_says_what_to_do(home: Home) -> None:
    shard = ShardName("wikidata", "P175")
    Corpus(home).write(shard, shard_rows(shard, ["a"]), ORIGIN)
    list(index_corpus(home))
    with pytest.raises(ConfigError, match="Import one with `factmill corpus import FILE --as paq/base`"):
        ablate_by_source(home, QUESTIONS, BASE)


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
