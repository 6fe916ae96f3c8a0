"""What a date stands for after a truthy dump has lost its precision."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from factmill.answers import answer_forms
from factmill.dates import Date, firsts_are_days, read_date
from factmill.facts import Kind
from factmill.home import Home
from factmill.lineblocks import read_lines
from factmill.names import ShardName
from factmill.stage import stage_wikidata
from factmill.steps import augment, resolve_template
from tests.dumps import date, name, write_dump


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1996-05-03T00:00:00Z", Date(1996, 5, 3)),
        ("+1996-05-03T00:00:00Z", Date(1996, 5, 3)),
        ("1996-05", Date(1996, 5, 0)),
        ("1996", Date(1996, 0, 0)),
        ("0000-01-01T00:00:00Z", Date(0, 1, 1)),
        ("-0043-03-15T00:00:00Z", Date(-43, 3, 15)),
        ("-10000-01-01T00:00:00Z", Date(-10000, 1, 1)),
        ("12024-07-09T00:00:00Z", Date(12024, 7, 9)),
        ("-66000000-01-01T00:00:00Z", Date(-66000000, 1, 1)),
        ("1996-05-03T10:20:30+01:00", Date(1996, 5, 3)),
        ("1996-00-00T00:00:00Z", Date(1996, 0, 0)),
        ("1996-13-01", None),
        ("1996-05-32", None),
        ("1996-02-29", Date(1996, 2, 29)),
        ("1900-02-29", None),
        ("2001-04-31T00:00:00Z", None),
        ("-0004-02-29", Date(-4, 2, 29)),
        ("-13798000000-01-01T00:00:00Z", Date(-13798000000, 1, 1)),
        ("1996-00-12", None),
        ("96-05-03", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_of_every_age_are_read(value: str, expected: Date | None) -> None:
    assert read_date(value) == expected


@pytest.mark.parametrize(
    ("value", "as_day", "as_month"),
    [
        ("1996-01-01T00:00:00Z", "1996", "1996"),
        ("1996-05-01T00:00:00Z", "May 1, 1996", "May 1996"),
        ("1996-05-02T00:00:00Z", "May 2, 1996", "May 2, 1996"),
        ("1996-05", "May 1996", "May 1996"),
        ("-0043-03-01T00:00:00Z", "March 1, 44 BC", "March 44 BC"),
        ("0000-01-01T00:00:00Z", "1 BC", "1 BC"),
        ("-10000-01-01T00:00:00Z", "10001 BC", "10001 BC"),
        ("12024-07-09T00:00:00Z", "July 9, 12024", "July 9, 12024"),
    ],
)
def test_a_first_stands_for_its_day_only_where_that_is_plausible(value: str, as_day: str, as_month: str) -> None:
    assert answer_forms(Kind.DATE, value, firsts_are_days=True)[0] == as_day
    assert answer_forms(Kind.DATE, value, firsts_are_days=False)[0] == as_month


def test_firsts_of_january_and_years_tell_nothing_about_other_firsts() -> None:
    days = [(Date(2000, month, day), 1) for month in range(1, 13) for day in range(2, 29)]
    years = [(Date(2000, 1, 1), 10_000), (Date(2000, 0, 0), 10_000), (Date(2000, 5, 0), 10_000)]
    assert firsts_are_days(days + years)
    assert not firsts_are_days([*days, *years, (Date(2000, 5, 1), 40)])


def test_too_few_dates_tell_nothing() -> None:
    assert firsts_are_days([(Date(2000, 5, 1), 100), (Date(2000, 5, 2), 29)])
    assert not firsts_are_days([(Date(2000, 5, 1), 100), (Date(2000, 5, 2), 30)])


def test_real_births_are_days_and_real_inceptions_are_months(shared: Path) -> None:
    dates: dict[str, list[tuple[Date, int]]] = defaultdict(list)
    for line, _ in read_lines(shared / "wikidata" / "subset.truthy.nt.gz"):
        if match := re.search(rb'direct/(P[0-9]+)> "([^"]*)"\^\^<http://www.w3.org/2001/XMLSchema#dateTime>', line):
            found = read_date(match[2].decode())
            assert found is not None
            dates[match[1].decode()].append((found, 1))
    assert {name: firsts_are_days(dates[name]) for name in ("P569", "P570", "P577", "P571", "P576", "P1619")} == {
        "P569": True,
        "P570": True,
        "P577": True,
        "P571": False,
        "P576": False,
        "P1619": False,
    }


def test_milling_looks_at_all_dates_of_the_property(home: Home, tmp_path: Path) -> None:
    days = [date(f"Q{n}", "P571", f"1990-05-{n % 28 + 2:02}") for n in range(1, 61)]
    months = [date(f"Q{n}", "P571", "1991-06-01") for n in range(100, 140)]
    names = [name(f"Q{n}", f"club {n}") for n in (1, 100)]
    stage_wikidata(home, write_dump(tmp_path / "d.nt.gz", days + months + names), "en")
    result = augment(home, resolve_template(ShardName.parse("wikidata/P571"), None), dry_run=True)
    assert sorted({answer for _, answer in result.sample}) == ["June 1991", "May 3, 1990"]
