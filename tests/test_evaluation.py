import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from factmill.ablation.experiment import Experiment
from factmill.ablation.page import ablation_page
from factmill.ablation.result import Ablation, Part
from factmill.ablation.run import run_experiment
from factmill.corpus import Corpus
from factmill.errors import ConfigError, IndexFileError, SourceFormatError
from factmill.evaluate import AtK, Evaluation, evaluate, evaluate_predictions
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import QuestionSet, read_questions
from factmill.report import write_report
from factmill.risk import risk_curve
from factmill.scoring.exact import exact_match, normalise_answer
from factmill.steps import index_corpus
from tests.norm_stage import norm_home
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


@pytest.mark.parametrize("norm", [True, False])
def test_what_was_retrieved_scores_the_same_when_it_is_read_as_predictions(
    filled: Home, tmp_path: Path, norm: bool
) -> None:
    out = tmp_path / "out.jsonl"
    ours = evaluate(filled, QUESTIONS, output=out, norm=norm)
    theirs = evaluate_predictions(filled, QUESTIONS, out, norm=norm)
    assert theirs.evaluation.at == ours.evaluation.at
    assert (theirs.evaluation.causes, theirs.evaluation.overlap) == (ours.evaluation.causes, ours.evaluation.overlap)
    assert theirs.answered.answers == ours.answered.answers
    assert theirs.answered.asked == ours.answered.asked
    assert (theirs.evaluation.system, ours.evaluation.system) == ("out.jsonl", "corpus")
    # PAQ's scores have no fixed direction, so nothing tells how sure it was.
    assert (theirs.evaluation.risk, ours.evaluation.risk is None) == (None, False)
    assert evaluate_predictions(None, QUESTIONS, out, norm=norm).evaluation.at == ours.evaluation.at


def test_nothing_may_be_retrieved_for_a_question(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    lines = [{"input_qa": {"question": question}, "retrieved_qas": []} for question in QUESTIONS.questions]
    out.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = evaluate_predictions(None, QUESTIONS, out).evaluation
    assert [(at.k, at.n_right, at.em_norm) for at in result.at] == [(1, 0, 0.0), (5, 0, 0.0), (50, 0, 0.0)]
    assert (result.causes, result.overlap, result.corpus_version) == (None, (), None)


def _judged(tmp_path: Path, gold: dict[str, str], answers: list[list[str]], home: Home | None = None) -> Evaluation:
    """Judge lists of answers, best first, to questions that have one gold answer each."""
    questions = QuestionSet("q.jsonl", "0" * 64, tuple(gold), tuple((answer,) for answer in gold.values()))
    lines = [{"question": question, "answer": some} for question, some in zip(gold, answers, strict=True)]
    path = tmp_path / "system.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return evaluate_predictions(home, questions, path).evaluation


PARTS = {"when was it": "1970", "how many are there": "6", "who is it": "Adele", "when did it end": "May 1980"}


def test_each_question_counts_once_as_the_strictest_part_among_its_first_answers(tmp_path: Path) -> None:
    filler = [f"filler {number}" for number in range(48)]
    answers = [
        # By its date at 1, exactly at 5.
        ["April 1970", "1970"],
        # By its amount at 5.
        ["seven", "six"],
        # Exactly at 50, at the last place.
        ["Nobody", *filler, "adele"],
        # By its date, and only beyond the fifth place.
        [*filler[:5], "May 31, 1980"],
    ]
    result = _judged(tmp_path, PARTS, answers)
    assert result.at == (
        AtK(1, 0, em=0.0, names=0.0, dates=25.0, amounts=0.0, em_norm=25.0),
        AtK(5, 1, em=25.0, names=0.0, dates=0.0, amounts=25.0, em_norm=50.0),
        AtK(50, 2, em=50.0, names=0.0, dates=25.0, amounts=25.0, em_norm=100.0),
    )
    assert result.f1 == pytest.approx(100 * (2 / 3) / 4)
    assert not result.has_names


def test_the_fifty_first_answer_counts_for_nothing(tmp_path: Path) -> None:
    assert _judged(tmp_path, {"who is it": "Adele"}, [["Nobody"] * 50 + ["Adele"]]).em(50) == 0.0


def test_other_names_count_where_they_are_staged(home: Home, tmp_path: Path) -> None:
    norm_home(home, tmp_path)
    gold, answers = {"who was the english physicist": "Isaac Newton"}, [["Sir Isaac Newton"]]
    known, unknown = (_judged(tmp_path, gold, answers, one) for one in (home, None))
    assert [(one.has_names, one.at[0].names, one.at[0].em_norm) for one in (known, unknown)] == [
        (True, 100.0, 100.0),
        (False, 0.0, 0.0),
    ]


def test_a_confidence_for_all_answers_gives_a_curve(tmp_path: Path) -> None:
    path = tmp_path / "reranked.jsonl"
    said = zip(
        QUESTIONS.questions, ("Frank Herbert", "Nobody", "Christian Bale", "x"), (0.9, 0.1, 0.8, 0.2), strict=True
    )
    keys = ("question", "prediction", "score")
    path.write_text("".join(json.dumps(dict(zip(keys, one, strict=True)) | {"index": 0}) + "\n" for one in said))
    risk = evaluate_predictions(None, QUESTIONS, path).evaluation.risk
    assert risk == risk_curve(np.array([True, False, True, False]), np.array([0.9, 0.1, 0.8, 0.2]))


def _lines(path: Path, *rows: Mapping[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_kilt_set_gets_kilts_scores(tmp_path: Path) -> None:
    pages = [[{"wikipedia_id": "7"}], [{"wikipedia_id": "8"}]]
    asked = [("a", "who is it", "Adele"), ("b", "where is it", "Paris")]
    gold = _lines(
        tmp_path / "gold.jsonl",
        *(
            {"id": key, "input": text, "output": [{"answer": answer, "provenance": page}]}
            for (key, text, answer), page in zip(asked, pages, strict=True)
        ),
    )
    guesses = _lines(
        tmp_path / "guess.jsonl",
        {"id": "b", "output": [{"answer": "paris", "provenance": [{"wikipedia_id": "9"}, {"wikipedia_id": "8"}]}]},
        {"id": "a", "output": [{"answer": "Adele", "provenance": [{"wikipedia_id": "7"}]}]},
        {"id": "c", "output": [{"answer": "x", "provenance": []}]},
    )
    published = evaluate_predictions(None, read_questions(gold), guesses).evaluation.published
    assert published.kilt is not None
    assert (published.kilt.answer.accuracy, published.kilt.answer.em, published.kilt.kilt.em) == (0.5, 1.0, 0.5)
    assert (published.kilt.r_precision, published.kilt.recall[5]) == (0.5, 1.0)
    assert (published.has_pages, published.n_extra, published.qampari) == (True, 1, None)


QAMPARI = (
    {
        "qid": "1",
        "question_text": "who sings",
        "answer_list": [{"answer_text": name, "aliases": [name]} for name in ("Adele", "Queen", "Abba", "Bono")],
    },
)


def test_a_qampari_set_gets_qamparis_scores_of_sets(tmp_path: Path) -> None:
    gold = read_questions(_lines(tmp_path / "gold.jsonl", *QAMPARI))
    guesses = _lines(tmp_path / "guess.jsonl", {"qid": "1", "predictions": ["adele", "Queen", "Bono", "Nobody"]})
    published = evaluate_predictions(None, gold, guesses).evaluation.published
    assert published.qampari is not None
    assert (published.qampari.precision, published.qampari.recall, published.qampari.f1) == (0.75, 0.75, 0.75)
    assert (published.qampari.share_good_f1, published.qampari.share_good_recall) == (1.0, 0.0)
    assert published.answer_recall is None


def test_of_retrieved_pairs_qampari_counts_the_answers_found(filled: Home, tmp_path: Path) -> None:
    gold = read_questions(_lines(tmp_path / "gold.jsonl", *QAMPARI))
    published = evaluate(filled, gold).evaluation.published
    assert (published.qampari, published.kilt, published.answer_recall) == (None, None, {5: 0.25, 50: 0.25})


def test_predictions_that_do_not_fit_are_refused(filled: Home, tmp_path: Path) -> None:
    path = tmp_path / "answers.txt"
    path.write_text("Adele\nParis\n")
    with pytest.raises(SourceFormatError, match=r"answers.txt does not fit q.jsonl: .* one prediction for each of 4"):
        evaluate_predictions(filled, QUESTIONS, path)
    _lines(tmp_path / "short.jsonl", {"question": QUESTIONS.questions[0], "prediction": "x"})
    with pytest.raises(SourceFormatError, match=r"short.jsonl does not fit q.jsonl: .*singer of hello"):
        evaluate_predictions(filled, QUESTIONS, tmp_path / "short.jsonl")


def test_a_corpus_that_is_not_indexed_and_one_that_is_empty_cannot_be_asked(home: Home) -> None:
    with pytest.raises(ConfigError, match="the corpus is empty"):
        evaluate(home, QUESTIONS)
    Corpus(home).write(BASE, shard_rows(BASE, ["a"]), ORIGIN)
    with pytest.raises(IndexFileError, match=r"^paq/base is not indexed. Run `factmill index`.$"):
        evaluate(home, QUESTIONS)


def test_what_cannot_be_written_is_said_before_anything_is_asked(home: Home, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "out.jsonl"):
        with pytest.raises(ConfigError, match="name a file in a folder that exists"):
            evaluate(home, QUESTIONS, output=path)


def test_a_failed_run_leaves_no_file(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(ConfigError, match="the corpus is empty"):
        evaluate(home, QUESTIONS, output=folder / "out.jsonl")
    assert list(folder.iterdir()) == []


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
