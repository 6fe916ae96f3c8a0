from dataclasses import astuple

import pytest

from factmill.scoring.qampari import (
    GoldAnswer,
    QampariScores,
    SetScores,
    answer_recall,
    qampari_scores,
    set_scores,
)


def _gold(*answers: str) -> list[GoldAnswer]:
    """Make answers of "Paris=Paris|Lutetia", or of "Paris" alone."""
    split = (answer.partition("=") for answer in answers)
    return [GoldAnswer(text, tuple((names or text).split("|"))) for text, _, names in split]


@pytest.mark.parametrize(
    ("predictions", "gold", "scores"),
    [
        pytest.param(["The Paris", "Oslo"], _gold("Paris", "Rome"), (0.5, 0.5, 0.5), id="half of each"),
        pytest.param(["Paris", "paris"], _gold("Paris"), (0.5, 1.0, 2 / 3), id="two spellings are two predictions"),
        pytest.param(["Paris", "Paris"], _gold("Paris"), (1.0, 1.0, 1.0), id="the same spelling is one"),
        pytest.param(
            ["Paris", "Lutetia"], _gold("Paris=Paris|Lutetia"), (0.5, 1.0, 2 / 3), id="two names of one answer"
        ),
        pytest.param(["X"], _gold("A=A|X", "B=B|X"), (1.0, 0.5, 2 / 3), id="a shared name counts for one answer"),
        pytest.param(["A", "B", "X"], _gold("A=A|X", "B=B|X"), (2 / 3, 1.0, 0.8), id="a shared name goes to the later"),
        pytest.param(["Paris"], _gold("Paris=Lutetia"), (0.0, 0.0, 0.0), id="a text that is no alias of its own"),
        pytest.param(["A"], _gold("A", "A"), (1.0, 0.5, 2 / 3), id="an answer twice"),
        pytest.param([], _gold("A"), (0.0, 0.0, 0.0), id="no predictions"),
        pytest.param(["A"], [], (0.0, 0.0, 0.0), id="no gold answers"),
        pytest.param([], [], (0.0, 0.0, 0.0), id="nothing"),
    ],
)
def test_predictions_are_scored_as_a_set(
    predictions: list[str], gold: list[GoldAnswer], scores: tuple[float, float, float]
) -> None:
    assert set_scores(predictions, gold) == pytest.approx(scores)


def test_means_are_over_questions() -> None:
    points = [SetScores(1.0, 0.8, 0.9), SetScores(0.4, 0.6, 0.5), SetScores(0.0, 0.0, 0.0), SetScores(0.2, 0.79, 0.49)]
    # n, precision, recall, F1, and the two shares
    assert astuple(qampari_scores(points)) == pytest.approx((4, 0.4, 0.5475, 0.4725, 0.5, 0.25))
    assert qampari_scores([]) == QampariScores(0, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_answer_recall_looks_for_any_name_of_each_answer_in_the_first_passages() -> None:
    gold = _gold("Paris=Lutetia", "Rome", "The=A")
    passages = ["Old Lutetia, a town", "nothing", "Rome!", "Romeo"]
    assert [answer_recall(passages, gold, k) for k in (0, 1, 2, 3)] == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3])
    assert answer_recall(["Romeo and the romes"], gold, 5) == 0.0
    assert answer_recall(["Paris"], gold, 1) == pytest.approx(1 / 3)
    assert answer_recall(["Paris"], [], 1) == 0.0
