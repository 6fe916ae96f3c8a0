"""Statements that have ended are not asked in the present, where the stage knows."""

from tests.dumps import XSD, fact, name
from tests.milling import Mill, answers, milled, statement

__all__ = ["milled"]
END, START = f'P582> "2010-05-11T00:00:00Z"^^<{XSD}dateTime>', f'P580> "2007-06-27T00:00:00Z"^^<{XSD}dateTime>'
MEN = {"Q2": "Gordon Brown", "Q3": "Keir Starmer", "Q4": "Grover Cleveland", "Q5": "Nobody Knows"}
TRUTHY = [
    name("Q1", "United Kingdom"),
    *(name(item, text) for item, text in MEN.items()),
    *(fact("Q1", "P6", item) for item in MEN),
]
STATEMENTS = [
    *statement("Q1-a", "P6", "Q2", START, END),
    *statement("Q1-b", "P6", "Q3", START),
    # Two terms, one of which goes on.
    *statement("Q1-c", "P6", "Q4", START, END),
    *statement("Q1-d", "P6", "Q4", START),
]
NOW = "who leads {{ subject }}"


def test_what_is_known_to_have_ended_is_refused(milled: Mill) -> None:
    result, refused = milled(TRUTHY, NOW, predicate="P6", extra="asks_about_now = true", statements=STATEMENTS)
    # Nothing is said of how long the fourth was in office.
    assert sorted(answers(result)["who leads united kingdom"]) == ["Grover Cleveland", "Keir Starmer", "Nobody Knows"]
    assert refused == {"the statement has ended": 1}


def test_a_template_that_does_not_ask_about_now_keeps_it(milled: Mill) -> None:
    wording = "who has led {{ subject }}"
    result, refused = milled(TRUTHY, wording, predicate="P6", statements=STATEMENTS)
    assert sorted(answers(result)["who has led united kingdom"]) == sorted(MEN.values())
    assert refused == {}


def test_without_qualifiers_nothing_is_known_to_have_ended(milled: Mill) -> None:
    result, refused = milled(TRUTHY, NOW, predicate="P6", extra="asks_about_now = true")
    assert (len(answers(result)["who leads united kingdom"]), refused) == (4, {})


def test_an_inverse_question_knows_it_too(milled: Mill) -> None:
    result, refused = milled(
        TRUTHY,
        "which country is led by {{ subject }}",
        predicate="P6~inverse",
        extra="asks_about_now = true\ninverse = true",
        statements=STATEMENTS,
    )
    assert set(answers(result)) == {f"which country is led by {MEN[item].lower()}" for item in ("Q3", "Q4", "Q5")}
    assert refused == {"the statement has ended": 1}
