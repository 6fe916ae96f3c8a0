"""KILT's own test vectors, re-created, and what its scorer was seen to do with odd data."""

from collections.abc import Sequence
from typing import Any

import pytest

from factmill.errors import SourceFormatError
from factmill.scoring.kilt import AnswerScores, KiltGold, KiltGuess, answer_scores, kilt_scores
from factmill.scoring.overlap import rouge_l, token_f1
from factmill.scoring.provenance import EvidenceSet, RankScores, hits_by_rank, r_precision, rank_scores, ranked_ids

PAGE = "10287141"
SUICIDE = [
    KiltGold("1", ("suicide",), (EvidenceSet((PAGE,)),)),
    KiltGold("2", ("suicide",), (EvidenceSet((PAGE,)),)),
    KiltGold("3", ("it was suicide",), (EvidenceSet((PAGE,)),)),
]

# The words of the third vector are replaced one by one; its articles and punctuation are as they were.
LONG_GOLD = (
    "w1 w2 w3 the w4 w5 w6 the w5 w7 w8 w9 w10 w11 w12 w13 w14 w15 the w16 w17 the w2 , w18 w19 a w20 w7 w21 w22 w23"
    " w24 w25 w26 . w27 w28 w21 a w29 w30 w31 a w25 w32 # # w31 w33 w7 w34 a w35 w23 the w24 w25 w26 w36 w37 . the w38"
    " w39 w40 w9 ' w41 w17 w42 w43 w44 the w26"
)
LONG_GUESS = (
    "the #### w5 w45 a w46 w47 w17 w48 w49 w50 w24 w25 w26 w51 w6 w1 w5 w7 w52 w53 w9 w10 w11 w12 w13 w14 w6 the w38"
    " w39 w7 w54 w55 w41 w17 w56 w57 w27 w58 w23 w24 w25 w26"
)


def _pieces(*numbers: int) -> list[dict[str, Any]]:
    """Return provenance in which numbers and texts stand side by side, as in KILT's own files."""
    return [
        {
            "wikipedia_id": str(number) if number % 2 else number,
            "section": number,
            "start_paragraph_id": str(number) if number % 3 else number,
            "end_paragraph_id": number,
        }
        for number in numbers
    ]


def test_answers_and_pages_are_scored_as_in_kilts_first_vector() -> None:
    guesses = [
        KiltGuess("3", "suicide", ("999",)),
        KiltGuess("1", "suicide", (PAGE,)),
        KiltGuess("2", "a suicide", ("999",)),
    ]
    scores = kilt_scores(SUICIDE, guesses)
    third = 1 / 3
    assert scores.answer == pytest.approx((third, 2 / 3, 0.8333333333333334, 0.7222222178240741))
    assert scores.kilt == pytest.approx((third, third, third, 0.3333333316666667))
    assert (scores.r_precision, scores.recall[5]) == pytest.approx((third, third))
    assert (scores.n_questions, scores.n_extra) == (3, 0)


def test_gold_against_itself_is_all_right() -> None:
    guesses = [KiltGuess(gold.id, gold.answers[0], gold.evidence[0].ids) for gold in SUICIDE]
    scores = kilt_scores(SUICIDE, guesses)
    assert scores.answer == scores.kilt == pytest.approx((1.0, 1.0, 1.0, 0.999999995), abs=1e-12)
    assert (scores.r_precision, scores.recall, scores.success) == (1.0, {1: 1.0, 5: 1.0}, {1: 1.0, 5: 1.0})
    assert scores.precision == {1: 1.0, 5: pytest.approx(0.2)}


def test_long_answers_are_scored_as_in_kilts_third_vector() -> None:
    gold = [KiltGold(one, (LONG_GOLD,), (EvidenceSet(("1",)),)) for one in ("1", "2")]
    scores = kilt_scores(gold, [KiltGuess("1", LONG_GUESS, ("1",)), KiltGuess("2", LONG_GUESS, ("2",))])
    f1, rouge = 0.5102040816326531, 0.44705881864636676
    assert scores.answer == pytest.approx((0.0, 0.0, f1, rouge))
    assert scores.kilt == pytest.approx((0.0, 0.0, f1 / 2, rouge / 2))
    assert scores.r_precision == 0.5


@pytest.mark.parametrize(
    "rank_keys",
    [["wikipedia_id"], ["wikipedia_id", "section"], ["wikipedia_id", "start_paragraph_id", "end_paragraph_id"]],
    ids="+".join,
)
def test_rankings_are_scored_as_in_kilts_second_vector(rank_keys: Sequence[str]) -> None:
    evidence = [EvidenceSet.of(_pieces(*numbers), rank_keys) for numbers in ((1, 2), (5,), (7, 9, 11))]
    long = rank_scores(evidence, ranked_ids(_pieces(2, 5, 7, 33, 1, 9, 44, 88), rank_keys), (1, 5))
    assert long == RankScores(0.5, (1.0, 2 / 5), (1 / 3, 2 / 3), (1.0, 1.0))
    short = rank_scores(evidence, ranked_ids(_pieces(5), rank_keys), (1, 5))
    assert short == RankScores(1.0, (1.0, 1 / 5), (1 / 3, 1 / 3), (1.0, 1.0))


def _sets(*pages: str) -> list[EvidenceSet]:
    return [EvidenceSet(tuple(each.split())) for each in pages]


@pytest.mark.parametrize(
    ("evidence", "ranked", "scores"),
    [
        pytest.param(
            _sets("1", ""), "1", RankScores(1, (1, 0.2), (0.5, 0.5), (1, 1)), id="an empty set is never found"
        ),
        pytest.param(_sets("1"), "1", RankScores(1, (1, 0.2), (1, 1), (1, 1)), id="no second set"),
        pytest.param(_sets("1", "1 2"), "1 2", RankScores(1, (1, 0.4), (0.5, 1), (1, 1)), id="one set in another"),
        pytest.param(_sets("1", "2"), "1 1 2", RankScores(1, (1, 0.4), (0.5, 1), (1, 1)), id="a page twice"),
        pytest.param(_sets("1 2"), "3 1 2", RankScores(0.5, (0, 0.2), (0, 1), (0, 1)), id="a wrong page first"),
        pytest.param(_sets("1 2"), "1 2 3", RankScores(1, (1, 0.2), (1, 1), (1, 1)), id="a set is one rank"),
        pytest.param(_sets("1 2", "2 1"), "1 2", RankScores(1, (1, 0.2), (1, 1), (1, 1)), id="the same set twice"),
        pytest.param(_sets("1"), "", RankScores(0, (0, 0), (0, 0), (0, 0)), id="nothing ranked"),
        pytest.param([], "1", RankScores(0, (0, 0), (0, 0), (0, 0)), id="no evidence"),
    ],
)
def test_rankings_count_complete_sets(evidence: list[EvidenceSet], ranked: str, scores: RankScores) -> None:
    assert rank_scores(evidence, ranked.split(), (1, 5)) == scores


def test_a_set_stands_where_its_last_page_does() -> None:
    assert hits_by_rank(_sets("1", "1 2"), ["1", "2"]) == [True, True]
    assert hits_by_rank(_sets("1 2"), ["3", "1", "2"]) == [False, True]
    assert hits_by_rank(_sets("1 2"), ["1", "3"]) == [False, False]


def test_a_piece_without_a_rank_key_is_never_found() -> None:
    keys = ["wikipedia_id", "section"]
    pieces = [{"wikipedia_id": 1, "section": 2}, {"wikipedia_id": 9}]
    sets = [EvidenceSet.of(pieces, keys)]
    assert ranked_ids(pieces, keys) == ("1+2",)
    assert sets == [EvidenceSet(("1+2",), ("9",))]
    assert r_precision(sets, ["1+2"]) == 1.0
    assert rank_scores(sets, ["1+2"], (5,)).recall == (0.0,)


def test_a_right_answer_without_evidence_counts_only_as_an_answer() -> None:
    scores = kilt_scores([KiltGold("1", ("Paris",))], [KiltGuess("1", "Paris", ("7",))])
    assert scores.answer == pytest.approx((1.0, 1.0, 1.0, 0.999999995))
    assert scores.kilt == AnswerScores(0.0, 0.0, 0.0, 0.0)


def test_an_empty_prediction_is_counted_and_worth_nothing() -> None:
    gold = [KiltGold("1", ("The",), (EvidenceSet(("1",)),)), KiltGold("2", ("b",), (EvidenceSet(("1",)),))]
    scores = kilt_scores(gold, [KiltGuess("1", " ", ("1",)), KiltGuess("2", "b", ("1",))])
    assert scores.answer == scores.kilt == pytest.approx((0.5, 0.5, 0.5, 0.4999999975))
    assert scores.r_precision == 1.0


def test_accuracy_is_of_the_text_as_it_stands() -> None:
    assert answer_scores(" Paris ", ["Rome", "Paris "])[:3] == (1.0, 1.0, 1.0)
    assert answer_scores("paris", ["Paris"]) == (0.0, 1.0, 1.0, 0.0)


def test_articles_match_each_other_but_share_no_word() -> None:
    assert answer_scores("The", ["A"]) == (0.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("prediction", "gold", "f1"),
    [
        ("new york city", ["York", "New York"], 0.8),
        ("york york", ["york"], 2 / 3),
        ("Paris", [], 0.0),
        ("", ["Paris"], 0.0),
        ("Paris", [""], 0.0),
    ],
)
def test_token_f1_counts_each_word_as_often_as_it_stands(prediction: str, gold: list[str], f1: float) -> None:
    assert token_f1(prediction, gold) == pytest.approx(f1)


@pytest.mark.parametrize(("prediction", "gold"), [("", "a"), ("...", "a"), ("a", "..."), ("a", ""), ("", "")])
def test_rouge_of_texts_without_words_is_nothing(prediction: str, gold: str) -> None:
    assert rouge_l(prediction, [gold]) == 0.0
    assert rouge_l(prediction, []) == 0.0


def test_rouge_reads_texts_of_many_pages() -> None:
    text = " ".join(f"w{number}" for number in range(600))
    assert rouge_l(text, [text]) == pytest.approx(0.999999995)


def test_nothing_to_score_is_nothing() -> None:
    scores = kilt_scores([], [])
    assert (scores.n_questions, scores.answer, scores.r_precision) == (0, AnswerScores(0, 0, 0, 0), 0.0)
    assert scores.precision == scores.recall == scores.success == {1: 0.0, 5: 0.0}


def test_predictions_too_many_are_counted() -> None:
    guesses = [KiltGuess(one, "suicide") for one in ("3", "x", "2", "1", "y")]
    assert kilt_scores(SUICIDE, guesses).n_extra == 2


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["1", "2"], r"there is no prediction for id '3' \(question 3\)\."),
        (["1", "2", "3", "2"], "prediction 2 and prediction 4 have the same id '2'"),
    ],
)
def test_ids_that_cannot_be_aligned_are_named(ids: list[str], message: str) -> None:
    with pytest.raises(SourceFormatError, match=message):
        kilt_scores(SUICIDE, [KiltGuess(one, "a") for one in ids])


def test_gold_ids_are_unique() -> None:
    with pytest.raises(SourceFormatError, match="question 1 and question 3 have the same id '1'"):
        kilt_scores([*SUICIDE[:2], SUICIDE[0]], [KiltGuess("1", "a"), KiltGuess("2", "a")])
