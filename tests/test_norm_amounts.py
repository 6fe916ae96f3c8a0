"""EM_norm accepts the same amount in figures and in words, with units and hedges or without."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.scoring.norm import Part, open_judge
from factmill.scoring.norm.amounts import asks_how_many, read_amount


def _part(gold: str, prediction: str, question: str = "how many are there") -> Part:
    (accepted,) = open_judge().accepted([question], [[gold]])
    return accepted.part_of(prediction)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        # The thesis' tables 3.6 and 3.14.
        ("6", "six"),
        ("18 chapters", "18"),
        ("607 islands & islets", "607"),
        ("8", "eight"),
        ("fifth title", "5"),
        ("2,700", "about 2,700"),
        ("1,800", "1,800 acres"),
        ("over 6 million", "over six million"),
        ("five times", "5"),
        ("24th", "24"),
        ("16 episodes", "16"),
        ("2 titles", "two"),
        ("5,100", "more than 5,100"),
        # Others.
        ("16 episodes", "sixteen"),
        ("Thirty - four", "34"),
        ("1.2 million", "1,200,000"),
        ("1.2 million", "1200000"),
        ("3 hundred thousand", "300,000"),
        ("500 thousand", "five hundred thousand"),
        ("42 million dollars", "$42 million"),
        ("$1.87 M", "$1,870,000"),
        ("£ 18 million", "£18m"),
        ("$2.1bn", "US $2.1 billion"),
        ("one hundred and five", "105"),
        ("a hundred", "100"),
        ("12.50", "12.5"),
        ("20.95 % oxygen", "20.95"),
        ("60 %", "60 percent"),
        ("2 to 3", "two to three"),
        ("2 to 3", "between 2 and 3"),
        ("2 to 3", "2–3"),
        ("6 ft 3 in", "6 feet 3 inches"),
        ("581 ( second edition )", "581"),
        ("8 ( + 1 )", "8"),
        ("12,34,567", "1,234,567"),
        ("-5 °C", "-5"),
        ("one second", "1"),
        ("500 +", "500"),
    ],
)
def test_the_same_amount_is_accepted(gold: str, prediction: str) -> None:
    assert _part(gold, prediction) in (Part.EXACT, Part.AMOUNT)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        # To strip all that is no digit would accept these.
        ("63", "6 ft 3 in"),
        ("23", "2 to 3"),
        ("1990", "nineteen ninety"),
        ("1020", "10 or 20"),
        ("12", "1 in 2"),
        ("15 copies", "1.5"),
        ("5", "-5 °C"),
        ("12", "1.2 million"),
        ("5", "The Jackson 5"),
        ("10", "Ryan ten Doeschate"),
        ("11", "Apollo 11"),
        # Words that make another number of it.
        ("1 million", "half a million"),
        ("2", "two and a half"),
        ("2", "two thirds"),
        ("1", "1 1/2"),
        ("1", "one dozen"),
        ("1", "no one"),
        ("100", "several hundred"),
        ("5", "minus five"),
        ("2", "2½"),
        # Other amounts.
        ("2", "2 to 3"),
        ("2 to 3", "3 to 2"),
        ("42", "42 million"),
        ("5", "5 million"),
        ("16", "17 episodes"),
        ("16", "episodes"),
        ("16", ""),
        ("episodes", "times"),
    ],
)
def test_another_amount_is_wrong(gold: str, prediction: str) -> None:
    assert _part(gold, prediction) is Part.WRONG


@pytest.mark.parametrize("question", ["what number is it", "how old is he", "when was it", "how manyfold"])
def test_only_how_many_and_how_much_ask_for_amounts(question: str) -> None:
    assert not asks_how_many(question)
    assert _part("6", "six", question) is Part.WRONG


@pytest.mark.parametrize("question", ["how many are there", " How Much is it?", "how much"])
def test_how_many_and_how_much_are_alike(question: str) -> None:
    assert _part("6", "six", question) is Part.AMOUNT


@given(st.integers(0, 10**15))
def test_a_number_is_read_as_it_is_written(number: int) -> None:
    assert read_amount(f"{number:,} copies") == read_amount(str(number)) == (Decimal(number),)


@given(st.text(max_size=60) | st.text(alphabet="0123456789.,-() $km", max_size=60))
def test_any_text_is_an_amount_or_none(text: str) -> None:
    amount = read_amount(text)
    assert amount is None or len(amount) > 0
