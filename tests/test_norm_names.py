"""EM_norm accepts what else a person or an organisation is called."""

from pathlib import Path

import pytest

from factmill.home import Home
from factmill.scoring.norm import Judge, Part, open_judge
from factmill.scoring.norm.full_names import full_name
from tests.norm_stage import norm_home


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    folder = tmp_path_factory.mktemp("norm")
    return open_judge(norm_home(Home.open(folder / "home", create=True), folder))


def _part(judge: Judge, question: str, gold: str, prediction: str) -> Part:
    (accepted,) = judge.accepted([question], [[gold]])
    return accepted.part_of(prediction)


@pytest.mark.parametrize(
    ("question", "gold", "prediction"),
    [
        # The thesis' table 3.13.
        ("who found gravity", "Isaac Newton", "Sir Isaac Newton"),
        ("who launched sputnik 1", "Soviet", "Soviet Union"),
        ("who won the 1954 nobel peace prize", "UNHCR", "United Nations High Commissioner for Refugees"),
        ("who wrote fur elise", "Ludwig van Beethoven", "Beethoven"),
        ("who has its seat in brussels", "European Union (EU)", "European Union"),
        ("who sings keep on loving you", "American rock band REO Speedwagon", "REO Speedwagon"),
        ("who attacked pearl harbor", "Empire of Japan", "Japan"),
        ("who won mayweather vs. mcgregor", "Mayweather", "Floyd Mayweather"),
        ("who plays bo brady", "Peter Reckell", "Peter Paul Reckell"),
        ("who made a pyramid of needs", "Abraham Harold Maslow", "Abraham Maslow"),
        ("who plays zordon", "David J. Fielding", "David Fielding"),
        ("who sang the first cut is the deepest", "Keith Hampshire (1973)", "Keith Hampshire"),
        # Table 3.6.
        ("who sang don't forget me when i'm gone", "Glass Tiger", "Canadian rock band Glass Tiger"),
        ("who sang don't forget me when i'm gone", "Glass Tiger", "The Canadian band Glass Tiger (1986)"),
        # Table 3.16.
        ("who plays in spider-man", "Tom Holland", "Tom Holland (actor)"),
        ("who plays in spider-man", "Tom Holland", "Thomas Stanley Holland"),
        ("who is the best chess player", "Magnus Carlsen", "Sven Magnus Øen Carlsen"),
        ("who ruled north korea", "Kim Il-Sung", "Kim Sŏng-ju"),
        ("who ruled north korea", "Kim Il-Sung", "Kim Il Sung"),
        ("who plays kate in this is us", "Christine Michelle Metz", "Chrissy Metz"),
        ("who plays kate in this is us", "Christine Michelle Metz", "Christine Metz"),
        ("who won the crossfit games", "Mathew Fraser", "Mat Fraser (athlete)"),
        ("who won the crossfit games", "Mathew Fraser", "Mat Fraser"),
        ("who wrote oliver twist", "Charles Dickens", "Dickens"),
        ("who wrote oliver twist", "Charles Dickens", "C.Dickens"),
        ("who wrote oliver twist", "Charles Dickens", "Charles John Huffam Dickens"),
        ("who wrote oliver twist", "Charles Dickens", "Boz"),
        ("who won wimbledon in 2012", "Roger Federer", "Federer"),
        ("who sings work from home", "American girl group Fifth Harmony", "5H"),
        ("who sings work from home", "American girl group Fifth Harmony", "Fifth Harmony"),
        ("who sings take your time", "American singer Sam Hunt", "Sam Hunt"),
        ("who sings take your time", "American singer Sam Hunt", "Sam Lowry Hunt"),
    ],
)
def test_the_examples_of_the_thesis_and_more_are_accepted(
    judge: Judge, question: str, gold: str, prediction: str
) -> None:
    assert _part(judge, question, gold, prediction) is Part.NAME


@pytest.mark.parametrize(
    ("question", "gold", "prediction"),
    [
        # A namesake's names, in either direction.
        ("who plays in spider-man", "Tom Holland", "Holland of Salisbury"),
        ("who wrote rubicon", "Tom Holland", "Thomas Stanley Holland"),
        ("who wrote rubicon", "Tom Holland", "Tom Holland (actor)"),
        # An alias that is rather the name of another.
        ("who was the sixth president", "John Quincy Adams", "John Adams"),
        # Neither persons nor organisations.
        ("where is the port of cruises", "Miami", "Magic City"),
        ("what is the best film", "Heat", "Heat 1995"),
        ("what do elves speak", "Elvish Tongue", "Quenya Tongue"),
        # Others than the one who is named.
        ("who sings take your time", "Sam Hunt", "wife of Sam Hunt"),
        ("who sings take your time", "Sam Hunt", "wife of singer Sam Hunt"),
        ("who sings take your time", "Sam Hunt", "not Sam Hunt"),
        ("who sings take your time", "Sam Hunt", "young Sam Hunt"),
        ("who sings take your time", "Sam Hunt", "Sam Hunt and Glass Tiger"),
        ("who sings take your time", "Sam Hunt", "Sam"),
        ("who sings take your time", "Sam Hunt", "American singer"),
        ("who sings take your time", "Sam Hunt", "Nashville singer Sam Hunt"),
        ("who sings take your time", "Sam Hunt", "Sam Hunt (Glass Tiger)"),
        ("who sings take your time", "Sam Hunt", ""),
        # One word of many meanings, with nothing that says which.
        ("who is it", "Newton", "Isaac Newton"),
    ],
)
def test_others_are_not_accepted(judge: Judge, question: str, gold: str, prediction: str) -> None:
    assert _part(judge, question, gold, prediction) is Part.WRONG


def test_without_a_stage_no_name_is_accepted() -> None:
    judge = open_judge()
    assert not judge.has_names
    assert _part(judge, "who wrote oliver twist", "Charles Dickens", "Boz") is Part.WRONG
    assert _part(judge, "when was it", "1970", "April 1970") is Part.DATE


def test_a_home_where_nothing_is_staged_has_no_names(tmp_path: Path) -> None:
    assert not open_judge(Home.open(tmp_path / "home", create=True)).has_names


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Sam Lowry Hunt (born December 8, 1984) is an American singer.", "Sam Lowry Hunt"),
        ("Sam Lowry Hunt, born in 1984, is an American singer.", "Sam Lowry Hunt"),
        ("Hunt was a singer.", "Hunt"),
        ("In music, Sam Hunt is a singer.", None),
        ("American singer (born 1984)", None),
        ("American singer, who is known as Sam Hunt", None),
        ("", None),
    ],
)
def test_a_first_sentence_begins_with_the_full_name(sentence: str, name: str | None) -> None:
    assert full_name(sentence, "Sam Hunt") == name
