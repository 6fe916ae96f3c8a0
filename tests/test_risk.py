"""How often answers are wrong if only the surest are given."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.risk import RiskCurve, risk_curve

ANSWERS = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.5, 0.9, float("inf")])), min_size=1)


def _curve(answers: list[tuple[bool, float]]) -> RiskCurve:
    return risk_curve(np.array([right for right, _ in answers]), np.array([sure for _, sure in answers]))


def _slowly(answers: list[tuple[bool, float]]) -> list[tuple[float, float]]:
    """Give all answers that are at least as sure as each value, the surest first: coverage and risk."""
    points = []
    for least in sorted({sure for _, sure in answers}, reverse=True):
        given_ones = [right for right, sure in answers if sure >= least]
        points.append((100 * len(given_ones) / len(answers), 100 * given_ones.count(False) / len(given_ones)))
    return points


@given(ANSWERS)
def test_the_curve_is_what_counting_anew_at_each_point_gives(answers: list[tuple[bool, float]]) -> None:
    curve, points = _curve(answers), _slowly(answers)
    assert list(zip(curve.coverage, curve.risk, strict=True)) == points
    starts = [0.0, *(coverage for coverage, _ in points)]
    area = sum(risk * (end - start) for start, (end, risk) in zip(starts, points, strict=False)) / 100
    assert curve.area == pytest.approx(area)
    for wanted in (1, 10, 25, 50, 75, 99.9, 100):
        assert curve.risk_at(wanted) == next(risk for coverage, risk in points if coverage >= wanted)


@given(ANSWERS.flatmap(lambda answers: st.tuples(st.just(answers), st.permutations(answers))))
def test_the_order_of_questions_makes_no_difference(
    orders: tuple[list[tuple[bool, float]], list[tuple[bool, float]]],
) -> None:
    first, second = orders
    assert _curve(first) == _curve(second)


def test_answers_that_are_equally_sure_are_given_together() -> None:
    assert _curve([(True, 0.9), (False, 0.5), (True, 0.5), (False, 0.1)]) == RiskCurve(
        (25.0, 75.0, 100.0), (0.0, 100 / 3, 50.0), area=(0 * 25 + 100 / 3 * 50 + 50 * 25) / 100
    )


@pytest.mark.parametrize(("right", "risk"), [(True, 0.0), (False, 100.0)])
def test_one_question_and_many_of_one_kind_have_one_risk(right: bool, risk: float) -> None:
    assert _curve([(right, 0.3)]) == RiskCurve((100.0,), (risk,), risk)
    many = _curve([(right, number / 10) for number in range(10)])
    assert set(many.risk) == {risk}
    assert many.area == pytest.approx(risk)


def test_of_many_questions_a_point_for_each_hundredth_is_kept_and_the_area_is_of_all() -> None:
    n = 10_000
    right = np.arange(n) % 2 == 0
    curve = risk_curve(right, np.linspace(1, 0, n))
    assert (len(curve.coverage), curve.coverage[0], curve.coverage[-1]) == (101, 0.01, 100.0)
    assert [round(curve.risk_at(coverage), 2) for coverage in (1, 50, 100)] == [50.0, 50.0, 50.0]
    assert curve.area == pytest.approx(float(np.mean(100 * np.cumsum(~right) / np.arange(1, n + 1))))


def test_knowing_right_from_wrong_has_the_smallest_area() -> None:
    right = [True] * 5 + [False] * 5
    knows = _curve([(one, float(one)) for one in right])
    mistaken = _curve([(one, 1 - float(one)) for one in right])
    assert (knows.area, mistaken.area) == (25.0, 75.0)
