"""By which names subjects are asked about, and what becomes of subjects that share one."""

import hashlib

import pytest

from tests.dumps import ALIAS, date, fact, name
from tests.milling import Mill, answers, milled

__all__ = ["milled"]
WORDING = "who sings {{ subject }}"

# Q1, Q2 and Q3 are called Hello, the better known one first; Q4 is called HELLO and has no year.
HELLOS = [
    *(name(f"Q{n}", "Hello") for n in (1, 2, 3)),
    name("Q4", "HELLO"),
    *(name(f"Q1{n}", text) for n, text in enumerate(("Adele", "Lionel Richie", "Ice Cube", "Martin Solveig"), 1)),
    *(fact(f"Q{n}", "P175", f"Q1{n}") for n in (1, 2, 3, 4)),
    *(date(f"Q{n}", "P577", f"{year}-03-04") for n, year in ((1, 2015), (2, 1984), (3, 1999))),
    *(fact("Q1", f"P{n}", "Q11") for n in (50, 51, 52)),
    *(fact("Q2", f"P{n}", "Q11") for n in (50, 51)),
    fact("Q3", "P50", "Q11"),
]


def _qa_id(*key: str) -> str:
    return hashlib.sha256("\x1f".join(["wikidata/P175", WORDING, *key]).encode()).hexdigest()[:32]


def test_namesakes_are_merged_unless_told_otherwise(milled: Mill) -> None:
    result, refused = milled(HELLOS)
    assert answers(result) == {"who sings hello": ["Adele", "Lionel Richie", "Ice Cube", "Martin Solveig"]}
    assert (result.n_merged, result.n_hinted, refused) == (3, 0, {})


def test_all_but_the_best_known_get_a_hint(milled: Mill) -> None:
    result, refused = milled(HELLOS, extra='same_name = "hint"\nhints = ["P577"]')
    assert answers(result) == {
        "who sings hello": ["Adele", "Martin Solveig"],
        "who sings hello (1984)": ["Lionel Richie"],
        "who sings hello (1999)": ["Ice Cube"],
    }
    assert (result.n_merged, result.n_hinted, refused) == (1, 2, {})
    rows = {row["question"]: row for row in result.rows.table().to_pylist()}
    hinted = rows["who sings hello (1984)"]
    assert (hinted["subject"], hinted["subject_label"], hinted["subject_name"]) == ("Q2", "Hello", "Hello (1984)")
    # A hint is no part of the identity: a namesake that comes or goes changes the question, not the pair.
    assert hinted["qa_id"] == _qa_id("Q2")
    alone, _ = milled([line for line in HELLOS if "/Q1>" not in line], extra='same_name = "hint"\nhints = ["P577"]')
    assert {row["question"]: row["qa_id"] for row in alone.rows.table().to_pylist()}["who sings hello"] == _qa_id("Q2")


def test_the_first_hint_that_says_something_counts(milled: Mill) -> None:
    lines = [*HELLOS, name("Q20", "France"), fact("Q4", "P495", "Q20"), fact("Q3", "P495", "Q20")]
    result, _ = milled(lines, extra='same_name = "hint"\nhints = ["P577", "P495"]')
    assert set(answers(result)) == {
        "who sings hello",
        "who sings hello (1984)",
        "who sings hello (1999)",
        "who sings hello (france)",
    }


def test_all_but_the_best_known_can_be_left_out(milled: Mill) -> None:
    result, refused = milled(HELLOS, extra='same_name = "drop"')
    assert answers(result) == {"who sings hello": ["Adele"]}
    assert refused == {"another subject has a better claim to the name": 3}


def test_one_subject_that_is_asked_about_twice_is_no_namesake_of_itself(milled: Mill) -> None:
    lines = [name("Q1", "Hello"), name("Q1", "HELLO", role=ALIAS), name("Q11", "Adele"), fact("Q1", "P175", "Q11")]
    result, refused = milled(lines, extra='same_name = "drop"\naliases = true')
    assert (answers(result), refused) == ({"who sings hello": ["Adele"]}, {})


BIG_APPLE = [
    name("Q1", "New York City"),
    *(name("Q1", text, role=ALIAS) for text in ("the Big Apple", "NYC", "NY", "12345", "tab\\there", "new york city")),
    name("Q2", "Eric Adams"),
    fact("Q1", "P175", "Q2"),
]


def test_a_subject_is_asked_about_by_its_other_names_if_the_template_says_so(milled: Mill) -> None:
    plain, _ = milled(BIG_APPLE)
    assert set(answers(plain)) == {"who sings new york city"}
    result, refused = milled(BIG_APPLE, extra="aliases = true")
    assert refused == {}
    assert {(row["question"], row["subject_name"], row["qa_id"]) for row in result.rows.table().to_pylist()} == {
        ("who sings new york city", "New York City", _qa_id("Q1")),
        ("who sings the big apple", "the Big Apple", _qa_id("Q1", "the Big Apple")),
        ("who sings nyc", "NYC", _qa_id("Q1", "NYC")),
    }
    assert set(result.rows.table()["subject_label"].to_pylist()) == {"New York City"}


def test_aliases_may_be_kept_to_subjects_that_are_well_known(milled: Mill) -> None:
    popular = [fact("Q1", f"P{n}", "Q2") for n in range(60, 64)]
    lesser_known = [name("Q6", "Gotham"), name("Q6", "the Big Onion", role=ALIAS), fact("Q6", "P175", "Q2")]
    extra = "aliases = true\nalias_min_popularity = 5"
    result, _ = milled([*BIG_APPLE, *popular, *lesser_known], extra=extra)
    questions = set(result.rows.table()["question"].to_pylist())
    names = ("new york city", "the big apple", "nyc", "gotham")
    assert questions == {f"who sings {subject}" for subject in names}


def test_a_label_comes_before_the_alias_of_a_lesser_known_subject(milled: Mill) -> None:
    lines = [*HELLOS, name("Q4", "Goodbye", role=ALIAS), name("Q5", "Goodbye"), fact("Q5", "P175", "Q13")]
    lines += [fact("Q5", f"P{n}", "Q11") for n in range(60, 70)]
    result, _ = milled(lines, extra="aliases = true")
    rows = {row["question"]: row for row in result.rows.table().to_pylist()}
    goodbye = rows["who sings goodbye"]
    assert (goodbye["qa_id"], goodbye["answer"]) == (_qa_id("Q5"), ["Ice Cube", "Martin Solveig"])


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ('same_name = "hint"', "'hints' names no predicate that could be one"),
        ('hints = ["P577"]', "'hints' are used only with same_name = \"hint\""),
        ("alias_min_popularity = 5", "'alias_min_popularity' is used only with aliases = true"),
        ('same_name = "hint"\nhints = ["year"]', "'year' is not a Wikidata property"),
    ],
)
def test_hints_and_policy_must_fit_together(milled: Mill, extra: str, message: str) -> None:
    from factmill.errors import ConfigError

    with pytest.raises(ConfigError, match=message):
        milled(HELLOS, extra=extra)
