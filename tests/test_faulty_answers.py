"""One faulty name, value or alias costs what it says, and nothing else; buckets change nothing."""

from pathlib import Path

import pytest

from tests.dumps import ALIAS, DIRECT, ENTITY, XSD, date, fact, name
from tests.milling import Mill, answers, milled, statement

__all__ = ["milled"]


def _text(subject: str, value: str, predicate: str = "P175") -> str:
    return f'<{ENTITY}{subject}> <{DIRECT}{predicate}> "{value}" .'


ADELE = [name("Q1", "Skyfall"), name("Q10", "Adele"), fact("Q1", "P175", "Q10")]


def test_an_alias_that_is_no_name_is_left_out(milled: Mill) -> None:
    result, refused = milled([*ADELE, *(name("Q10", text, role=ALIAS) for text in ("http://adele.com", "…", "Adkins"))])
    assert (answers(result), refused) == ({"who sings skyfall": ["Adele", "Adkins"]}, {})


@pytest.mark.parametrize("label", ["x" * 301, "tab\\there", "https://x.org", "…", "csi\\u009B31m"])
def test_an_object_whose_label_is_no_name_costs_its_own_fact_only(milled: Mill, label: str) -> None:
    result, refused = milled([*ADELE, name("Q11", label), fact("Q1", "P175", "Q11")])
    assert answers(result) == {"who sings skyfall": ["Adele"]}
    assert refused == {"the object's label is no name": 1}


@pytest.mark.parametrize("value", ["?", "http://x.org/", "bell\\u0007", "x" * 301])
def test_a_text_that_is_no_answer_costs_its_own_fact_only(milled: Mill, value: str) -> None:
    result, refused = milled([*ADELE, _text("Q1", value)])
    assert answers(result) == {"who sings skyfall": ["Adele"]}
    assert refused == {"the value cannot be an answer": 1}


def test_an_answer_that_stands_in_the_question_leaves_the_others(milled: Mill) -> None:
    lines = [name("Q1", "Adele Live"), name("Q10", "Adele"), name("Q11", "Lionel Richie")]
    lines += [name("Q11", "the live man", role=ALIAS), name("Q11", "Live", role=ALIAS)]
    result, refused = milled([*lines, fact("Q1", "P175", "Q10"), fact("Q1", "P175", "Q11")])
    (row,) = result.rows.table().to_pylist()
    assert (row["answer"], row["objects"]) == (["Lionel Richie", "the live man"], ["Q11"])
    assert refused == {}


def test_a_namesake_whose_answer_stands_in_the_question_gives_none(milled: Mill) -> None:
    lines = [name("Q1", "Adele Live"), name("Q2", "Adele Live"), name("Q10", "Adele"), name("Q11", "Lionel Richie")]
    lines += [fact("Q1", "P175", "Q10"), fact("Q2", "P175", "Q11"), fact("Q1", "P50", "Q10")]
    result, refused = milled(lines)
    (row,) = result.rows.table().to_pylist()
    assert (row["answer"], row["subject"], row["objects"], refused) == (["Lionel Richie"], "Q2", ["Q11"], {})


@pytest.mark.parametrize(
    ("label", "answer", "stands_in_it"),
    [
        ("Café Live", "Cafe\\u0301", True),
        ("ΟΔΟΣ ΕΡΜΟΥ", "ΟΔΟΣ", True),
        ('"Heroes" Live', '"Heroes"', True),
        ("A.B.C. Song", "A B C", True),
        ("C++", "C", False),
        ("Starts", "Art", False),
    ],
)
def test_an_answer_is_found_in_a_question_however_it_is_written(
    milled: Mill, label: str, answer: str, stands_in_it: bool
) -> None:
    escaped = label.replace('"', '\\"'), answer.replace('"', '\\"')
    _, refused = milled([name("Q1", escaped[0]), name("Q10", escaped[1]), fact("Q1", "P175", "Q10")])
    assert refused == ({"answer stands in the question": 1} if stands_in_it else {})


def test_a_statement_that_is_said_again_is_counted(milled: Mill) -> None:
    again = statement("Q1-a", "P175", "Q10", 'P1> "x"'), statement("Q1-b", "P175", "Q10", 'P1> "y"')
    lines = [name("Q1", "Skyfall"), name("Q10", "Adele")]
    result, refused = milled(lines, statements=[*again[0], *again[1]])
    assert (result.n_facts, result.n_keys, result.n_repeated, refused) == (2, 1, 1, {})
    assert answers(result) == {"who sings skyfall": ["Adele"]}


def test_a_wording_may_leave_a_part_of_the_name_out(milled: Mill) -> None:
    lines = [name("Q1", "Hello (song)"), name("Q10", "Adele"), fact("Q1", "P175", "Q10")]
    result, refused = milled(lines, '{{ "who sings " ~ subject | replace(" (song)", "") }}')
    assert (answers(result), refused) == ({"who sings hello": ["Adele"]}, {})
    result, refused = milled(lines, "who sings {{ subject | truncate(0, true, '') }} it")
    assert (answers(result), refused) == ({}, {"question lacks its subject": 1})


def test_a_greek_name_may_be_inflected(milled: Mill) -> None:
    lines = [name("Q1", "ΝΙΚΟΣ"), name("Q10", "Maria"), fact("Q1", "P175", "Q10")]
    result, refused = milled(lines, "who is {{ subject }}'s mother")
    assert (list(answers(result).values()), refused) == ([["Maria"]], {})


@pytest.mark.parametrize(
    "value",
    [f'"1995-03-01T00:00:00Z"^^<{XSD}dateTime>', '" "', '"?"', '"https://x.org"'],
)
def test_a_qualifier_that_reads_badly_in_a_question_is_refused(milled: Mill, value: str) -> None:
    lines = [name("Q1", "Heat"), name("Q10", "Al Pacino")]
    result, refused = milled(
        lines,
        "who plays {{ role }} in {{ subject }}",
        extra='qualifiers = { role = "P580" }',
        statements=statement("Q1-a", "P175", "Q10", f"P580> {value}"),
    )
    assert (answers(result), refused) == ({}, {"a qualifier is no plain text": 1})


def test_names_are_compared_as_questions_are(milled: Mill) -> None:
    lines = [name("Q1", "Who's There?"), name("Q2", "who's  there"), name("Q10", "Adele"), name("Q11", "Lionel Richie")]
    lines += [fact("Q1", "P175", "Q10"), fact("Q2", "P175", "Q11"), fact("Q1", "P50", "Q10")]
    result, refused = milled(lines, extra='same_name = "drop"')
    assert answers(result) == {"who sings who's there": ["Adele"]}
    assert refused == {"another subject has a better claim to the name": 1}


def test_a_label_has_a_better_claim_to_a_name_than_an_alias(milled: Mill) -> None:
    lines = [name("Q1", "Heat Wave"), name("Q1", "Heat", role=ALIAS), name("Q2", "Heat"), fact("Q1", "P50", "Q10")]
    lines += [name("Q10", "Adele"), name("Q11", "Lionel Richie"), fact("Q1", "P175", "Q10"), fact("Q2", "P175", "Q11")]
    merged, _ = milled(lines, extra="aliases = true")
    assert answers(merged)["who sings heat"] == ["Lionel Richie", "Adele"]
    dropped, refused = milled(lines, extra='aliases = true\nsame_name = "drop"')
    assert answers(dropped) == {"who sings heat wave": ["Adele"], "who sings heat": ["Lionel Richie"]}
    assert refused == {"another subject has a better claim to the name": 1}


def _many() -> list[str]:
    lines = [
        f'<http://wikiba.se/ontology#Dump> <http://schema.org/dateModified> "2026-11-01T03:00:00Z"^^<{XSD}dateTime> .'
    ]
    for n in range(1, 60):
        lines += [name(f"Q{n}", f"Song {n % 17}"), name(f"Q{n}", f"Tune {n}", role=ALIAS), fact(f"Q{n}", "P31", "Q900")]
        lines += [fact(f"Q{n}", "P175", f"Q{100 + n % 7}"), fact(f"Q{n}", "P175", f"Q{100 + n % 5}")]
        lines += [date(f"Q{n}", "P577", f"{1950 + n}-05-06")]
    lines += [name(f"Q{100 + n}", f"Singer {n}") for n in range(6)]
    return [*lines, name("Q106", "Song 3")]


@pytest.mark.parametrize("policy", ["merge", "hint", "drop"])
def test_a_shard_that_is_milled_in_many_buckets_gives_the_same(
    milled: Mill, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    hints = '\nhints = ["P577"]' if policy == "hint" else ""
    extra = f'aliases = true\nsame_name = "{policy}"{hints}\nsubject_types = ["Q900"]'
    one, refused = milled(_many(), "who sings {{ subject }}", "{{ subject | lower }} is sung by whom", extra=extra)
    monkeypatch.setattr("factmill.mill._FACTS_A_BUCKET", 7)
    many, refused_too = milled(_many(), "who sings {{ subject }}", "{{ subject | lower }} is sung by whom", extra=extra)
    assert one.rows.table().num_rows > 50
    assert many.rows.table().equals(one.rows.table())
    assert refused_too == refused
    counts = ("n_facts", "n_keys", "n_pairs", "n_repeated", "n_merged", "n_hinted")
    assert [getattr(many, count) for count in counts] == [getattr(one, count) for count in counts]


def test_a_template_has_one_name_however_its_path_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from factmill.templates import read_template

    file = tmp_path / "mine.j2"
    file.write_text('\ufeff+++\npredicate = "wikidata/P175"\nlabel = "x"\n+++\nwho sings\u2028{{ subject }}\r\n')
    monkeypatch.chdir(tmp_path)
    relative, absolute = read_template(Path("mine.j2")), read_template(file)
    assert relative.name == absolute.name == f"{tmp_path.name}/mine"
    assert relative.wordings == ("who sings\u2028{{ subject }}",)
