"""What becomes of the raw text in infoboxes."""

import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.answers import answer_forms
from factmill.dates import read_date
from factmill.facts import Kind
from sources._infobox import MAX_CHARACTERS, MAX_RAW_CHARACTERS, InfoboxValue, Read, read_infobox_value
from tests.conftest import ROOT


def _read(text: str) -> list[str]:
    """Return the values as "kind value", or what there is instead of them."""
    read = read_infobox_value(text)
    return [f"{value.kind} {value.value}" for value in read.values] or [f"refused {read.refusal}"]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("1996-05-03", "1996-05-03"),
        ("1996-5-3", "1996-05-03"),
        ("1996/05/03", "1996-05-03"),
        ("1996-05-03T00:00:00Z", "1996-05-03"),
        ("1996-05-03 10:20", "1996-05-03"),
        ("1996-05-03+02:00", "1996-05-03"),
        ("1996-05", "1996-05"),
        ("1996-05-00", "1996-05"),
        ("1996-00-00", "1996"),
        ("1996", "1996"),
        ("2100", "2100"),
        ("0987", "0987"),
        ("1996-05-03 (age 30)", "1996-05-03"),
        ("1996-05-03 (aged 30–31)", "1996-05-03"),
        ("(1996-05-03) May 3, 1996 (age 30)", "1996-05-03"),
        ("May 3, 1996 (1996-05-03)", "1996-05-03"),
        ("May 3, 1996", "1996-05-03"),
        ("MAY 3 1996", "1996-05-03"),
        ("Friday, May 3rd, 1996", "1996-05-03"),
        ("Sept. 11, 2001", "2001-09-11"),
        ("3 May 1996; 30 years ago", "1996-05-03"),
        ("3 May 1996, age 30", "1996-05-03"),
        ("3rd of May, 1996", "1996-05-03"),
        ("3 May 1996 (US)", "1996-05-03"),
        ("3 May 1996[1]<ref name=x>a book</ref>", "1996-05-03"),
        ("May 1996", "1996-05"),
        ("25/12/1996", "1996-12-25"),
        ("12/25/1996", "1996-12-25"),
        ("25.12.1996", "1996-12-25"),
        ("05/05/1996", "1996-05-05"),
        ("c. 1850", "1850"),
        ("circa 1066", "1066"),
        ("ca 3 May 1996", "1996-05-03"),
        ("1850 (est.)", "1850"),
        ("AD 987", "0987"),
        ("987 AD", "0987"),
        ("44 BC", "-0043"),
        ("15 March 44 BC", "-0043-03-15"),
        ("29 February 2000", "2000-02-29"),
        ("{{Start date|1996|5|3|df=y}}", "1996-05-03"),
        ("{{start_date|1996|05}}", "1996-05"),
        ("{{Start date|1996|5|3|21|08||Z}}", "1996-05-03"),
        ("{{Birth date and age|mf=yes|1996|5|3}}", "1996-05-03"),
        ("{{birth date|1=1996|2=5|3=3}}", "1996-05-03"),
        ("{{birth-date and age|May 3, 1996}}", "1996-05-03"),
        ("{{death date and age|2000|1|2|1930|3|4}}", "2000-01-02"),
        ("{{death year and age|2000|1930}}", "2000"),
        ("{{circa|1850}}", "1850"),
    ],
)
def test_a_decorated_date_is_a_date_as_exact_as_stated(text: str, date: str) -> None:
    assert read_infobox_value(text) == Read((InfoboxValue(Kind.DATE, date),))
    assert read_date(date) is not None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("22", "22"),
        ("0", "0"),
        ("1,234", "1234"),
        ("12,345,678.90", "12345678.90"),
        ("22 (list of episodes)", "22"),
        ("22 ([[List of X episodes|list]])", "22"),
        ("22 (as of May 2010)", "22"),
        ("24 episodes", "24"),
        ("1 season", "1"),
        ("approx. 150", "150"),
        ("~150", "150"),
        ("about 1,500", "1500"),
        ("24[1][note 2]", "24"),
        ("24*", "24"),
        ("-5", "-5"),
        ("−5.25", "-5.25"),
        ("+5", "5"),
        ("-0", "0"),
        (".5", "0.5"),
        ("1.5e6", "1500000"),
        ("5E-3", "0.005"),
        ("1.5×10<sup>6</sup>", "1500000"),
        ("1.5 x 10^6", "1500000"),
        ("{{formatnum:1234567}}", "1234567"),
        ("{{nts|1234}} people", "1234"),
        ("3000", "3000"),
        ("999", "999"),
    ],
)
def test_a_decorated_number_is_a_plain_number(text: str, number: str) -> None:
    assert read_infobox_value(text) == Read((InfoboxValue(Kind.QUANTITY, number),))
    assert answer_forms(Kind.QUANTITY, number)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Seattle, Washington, 1975", "Seattle, Washington, 1975"),
        ("3 May 1996, London", "3 May 1996, London"),
        ("May 3, 1996 (1996-05-04)", "May 3, 1996 (1996-05-04)"),
        ("1999–2003", "1999–2003"),
        ("1999 -- 2001", "1999–2001"),
        ("1999-2003", "1999–2003"),
        ("1999–present", "1999–present"),
        ("1996-97", "1996-97"),
        ("2001–02", "2001–02"),
        ("2001/02", "2001/02"),
        ("May–June 1996", "May–June 1996"),
        ("03/05/1996", "03/05/1996"),
        ("May 19, 96", "May 19, 96"),
        ("1850s", "1850s"),
        ("1850?", "1850?"),
        ("before 1850", "before 1850"),
        ("c. 1850s", "c. 1850s"),
        ("--05-03", "May 3"),
        ("0000-05-03", "May 3"),
        ("1 BC", "1 BC"),
        ("1200 BC", "1200 BC"),
        ("12+", "12+"),
        ("over 150", "over 150"),
        ("150 (US)", "150 (US)"),
        ("24 (2 unaired)", "24 (2 unaired)"),
        ("12 km", "12 km"),
        ("30 km<sup>2</sup>", "30 km²"),
        ("10<sup>6</sup>", "10⁶"),
        ("H<sub>2</sub>O", "H₂O"),
        ("120 minutes", "120 minutes"),
        ("$12 million", "$12 million"),
        ("12%", "12%"),
        ("1,5", "1,5"),
        ("1,2345", "1,2345"),
        ("1.234.567", "1.234.567"),
        ("007", "007"),
        ("#5", "#5"),
        ("1st", "1st"),
        ("1:30", "1:30"),
        ("9" * 40, "9" * 40),
        ("1e99", "1e99"),
        ("One hundred", "One hundred"),
        ("[[Link|text]]", "text"),
        ("[[Link]]s", "Links"),
        ("[[Link|]]", "Link"),
        ("[[:Category:Link]]", "Category:Link"),
        ("[http://example.org Ada]", "Ada"),
        ("''italics'' and '''bold'''", "italics and bold"),
        ("rock 'n' roll", "rock 'n' roll"),
        ("a&nbsp;&ndash;&nbsp;b", "a – b"),
        ("a&amp;nbsp;b", "a b"),
        ("AT&T", "AT&T"),
        ("Ada<ref name=x>a {{cite book|x}}</ref>", "Ada"),
        ("Ada<ref name=x />[1][a][citation needed]", "Ada"),
        ("Ada <!-- a comment -->", "Ada"),
        ("{{flagicon|UK}} Ada {{sfn|x}} ({{cn}})", "Ada"),
        ("<small>(a)</small> <span style='x'>b</span>", "(a) b"),
        ("{{nowrap|{{small|a}}}} {{lang|fr|b}} {{lang-de|c}}", "a b c"),
        ("{{marriage|[[Ada]]|1990|2000}}", "Ada"),
        ("[[File:x.jpg|thumb]] Ada", "Ada"),
        ("Ada,", "Ada"),
        ("Ada †", "Ada"),
        ("a\x00b\tc\u200bd\u202e", "a b cd"),
        ("M*A*S*H", "M*A*S*H"),
        ("!!!", "!!!"),
        ("a < b", "a < b"),
        ("University of<br>California", "University of California"),
        ("Ada<br />(1815–1852)", "Ada (1815–1852)"),
        ("two\nlines", "two lines"),
        ("Kings [sic]", "Kings [sic]"),
    ],
)
def test_all_else_is_the_text_that_a_reader_sees(text: str, clean: str) -> None:
    assert read_infobox_value(text) == Read((InfoboxValue(Kind.TEXT, clean),))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("* Alice * Bob", ["text Alice", "text Bob"]),
        ("*Alice\n*Bob", ["text Alice", "text Bob"]),
        ("# 1996\n# 22", ["date 1996", "quantity 22"]),
        ("Alice<br />Bob<BR>Carol", ["text Alice", "text Bob", "text Carol"]),
        ("Alice &amp; Co<br>Bob", ["text Alice & Co", "text Bob"]),
        ("Alice\n\nBob", ["text Alice", "text Bob"]),
        ("Alice • Bob", ["text Alice", "text Bob"]),
        ("<div>Alice</div><div>Bob</div>", ["text Alice", "text Bob"]),
        ("<ul><li>Alice</li><li>Bob</li></ul>", ["text Alice", "text Bob"]),
        ("{{hlist|Alice|Bob|Alice}}", ["text Alice", "text Bob"]),
        ("{{ubl|[[A|Alice]]|3 May 1996|{{hlist|1|2}}}}", ["text Alice", "date 1996-05-03", "quantity 1", "quantity 2"]),
        ("{{plainlist|\n* Alice\n* Bob}}", ["text Alice", "text Bob"]),
        ("{{Plainlist| * Alice * Bob}}", ["text Alice", "text Bob"]),
        ("{{plainlist}}\n* Alice\n* Bob\n{{endplainlist}}", ["text Alice", "text Bob"]),
        ("{{Film date|1996|5|3|Cannes|1997|1|1}}", ["date 1996-05-03", "date 1997-01-01"]),
        ("Alice; Bob", ["text Alice; Bob"]),
        ("Alice, Bob", ["text Alice, Bob"]),
    ],
)
def test_a_list_gives_its_values_in_order(text: str, values: list[str]) -> None:
    assert _read(text) == values


def test_what_is_left_out_of_a_list_is_told() -> None:
    assert read_infobox_value("{{hlist|TBA|Alice||{{mystery|x}}}}") == Read(
        (InfoboxValue(Kind.TEXT, "Alice"),), None, ("says that nothing is known", "unknown template")
    )


@pytest.mark.parametrize(
    ("reason", "texts"),
    [
        ("empty", ["", " \n", "*", "&nbsp;", "<ref>a book</ref>", "[[File:x.jpg]]", "{{hlist||}}", "()"]),
        (
            "says that nothing is known",
            ["TBA", "tba.", "(TBD)", "N/A", "Unknown", "unknown?", "?", "??", "—", "-", "--", "...", "{{TBA}}", "0000"],
        ),
        ("says that there is none", ["None", "nil"]),
        ("says that it goes on", ["present", "Ongoing"]),
        ("names nothing", ["various", "Several"]),
        ("points elsewhere", ["see below", "See list below", "see text", "List of songs"]),
        ("a file name", ["File:x.jpg", "Ada Lovelace.JPG", "anthem.ogg"]),
        ("a web address", ["http://example.org/x", "www.example.org", "Home: https://example.org"]),
        ("layout", ['style="width: 5em" | Ada', "bgcolor", "#c6dbf7", "250px", "align=right"]),
        (
            "broken markup",
            [
                "{{Start date|1996",
                "1996}}",
                "[[Ada",
                "Ada]]",
                "Ada|Bob",
                "<ref>Ada",
                "Ada</ref>",
                "&lt;ref&gt;",
                "hlist",
            ],
        ),
        ("unknown template", ["{{mystery|x}}", "Ada {{age|1990}}", "{{{1}}}", "<math>x</math>", "{|\n|x\n|}"]),
        ("a date that does not exist", ["2001-02-30", "February 30, 2001", "1996-00-03", "{{start date|1996|13|1}}"]),
        ("unreadable characters", ["Ad\ud800", "Ad\ufffd"]),
        ("a text of more than 300 characters", ["x" * 301, "word " * 100]),
        ("longer than 4,000 characters", ["x" * 4001, "[" * 10_000_000]),
    ],
)
def test_what_is_no_value_is_refused_with_a_reason(reason: str, texts: list[str]) -> None:
    assert [read_infobox_value(text) for text in texts] == [Read((), reason)] * len(texts)


PIECES = st.sampled_from([
    "{{", "}}", "[[", "]]", "|", "<br>", "<ref>", "</ref>", "<", ">", "&amp;", "&lt;", "&#123;", "''", "*", "#", "\n",
    "1996", "5", "May", "-", "–", ",", "c. ", "(", ")", "hlist", "start date", "nowrap", "ubl", "Ada", "[1]", "\x01",
    "\u200b", "é", "+", ".", "e", "BC", "AD ", "of", ";", "·", "†", "--", "px", "?", "=", "0", "<sup>", "</sup>", "²",
    " ", "\x02", "× 10",
])  # fmt: skip
HOSTILE = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=60)


@given(HOSTILE)
def test_values_are_clean_and_read_again_as_themselves(text: str) -> None:
    read = read_infobox_value(text)
    assert bool(read.values) != bool(read.refusal)
    assert len(set(read.values)) == len(read.values)
    for kind, value in read.values:
        again = read_infobox_value(value)
        assert [found.value for found in again.values] == [value]
        # A year and a number of four digits are written the same.
        assert again.values[0].kind is kind or (kind is Kind.QUANTITY and 1000 <= int(value) <= 2100)
        assert answer_forms(kind, value)
        assert not re.search(r"\{\{|\}\}|\[\[|\]\]|<ref|\|", value)
        assert not [character for character in value if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")]
        assert value == " ".join(value.split())
        assert len(value) <= MAX_CHARACTERS


@pytest.mark.parametrize(
    "piece",
    [
        "{{",
        "[[",
        "[",
        "<b>",
        "<ref>",
        "{{a|[[b|<i>",
        "{{{",
        "*",
        "* ",
        "'",
        "=",
        "{|\n",
        "&",
        "[http://a ",
        "(",
        "1,",
        "<br>",
    ],
)
def test_hostile_values_take_no_time(piece: str) -> None:
    started = time.perf_counter()
    read_infobox_value((piece * MAX_RAW_CHARACTERS)[:MAX_RAW_CHARACTERS])
    assert time.perf_counter() - started < 2


def test_the_documented_examples_are_true() -> None:
    page = (ROOT / "docs" / "dbpedia_values.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|$", page, re.MULTILINE)
    assert len(rows) >= 30
    for text, outcome in rows:
        shown = [f"{kind} {value}" for kind, value in re.findall(r"(date|quantity|text) `(.+?)`", outcome)]
        assert _read(text.replace("\\|", "|")) == (shown or [outcome]), text


@pytest.mark.parametrize(
    "text", ["{{{" * 500 + "x" + "}}}" * 500, "{{{{{" * 300 + "x", "{{a|b=" * 600, "<ref name=" * 300]
)
def test_nested_markup_is_refused_at_once(text: str) -> None:
    started = time.monotonic()
    assert not read_infobox_value(text).values
    assert time.monotonic() - started < 0.5
