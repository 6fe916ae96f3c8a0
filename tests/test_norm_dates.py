"""EM_norm accepts dates that say the same as the gold answer, or the same more exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.dates import MONTHS
from factmill.scoring.norm import Part, open_judge
from factmill.scoring.norm.dates import asks_when, read_time, without_hedges


def _part(gold: str, prediction: str, question: str = "when was it") -> Part:
    (accepted,) = open_judge().accepted([question], [[gold]])
    return accepted.part_of(prediction)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        # The thesis' tables 3.4 and 3.15.
        ("1823", "11 August 1823"),
        ("1970", "April 1970"),
        ("January", "January 27, 2018"),
        ("1967 model year", "1967"),
        ("May 31, 2009", "31 May 2009"),
        ("10,000 years ago", "about 10,000 years ago"),
        ("sometime in 2018", "in 2018"),
        # The text of the thesis.
        ("2021", "May 3, 2021"),
        ("August, 1998", "August 14, 1998"),
        ("August 1998", "August of 1998"),
        ("May 31, 2009", "31st of may 2009"),
        ("May 31, 2009", "2009-05-31"),
        ("May 31, 2009", "Sunday, May 31st, 2009"),
        ("May 31, 2009", "31/5/2009"),
        ("May 31 , 2009", "on the 31st of May , 2009 ."),
        ("27 / 05 / 2018", "May 27, 2018"),
        ("Nov. 24 , 2016", "November 24, 2016"),
        ("27 BC", "16 January 27 BC"),
        ("675 AD", "AD 675"),
        ("1997 ( XXXII )", "1997"),
        ("2018", "early 2018"),
        ("2018", "late September 2018"),
        ("2018", "summer 2018"),
        ("the 1970s", "1975"),
        ("1970s", "in the early 1970s"),
        ("the 1970s", "May 3, 1979"),
        ("20th century", "the 1970s"),
        ("19th century", "1801"),
        ("19th century", "December 31, 1900"),
        ("21 June", "June 21"),
        ("June 21", "21 June 1982"),
        ("2017 -- 18", "2017–18"),
        ("2017 -- 18", "the 2017-18 season"),
        ("2009 -- 10", "2009–10"),
        ("1967", "the year of 1967"),
        ("1967", "c. 1967"),
        ("from 1861 to 1865", "around from 1861 to 1865"),
        ("mid-1990s", "the mid-1990s"),
    ],
)
def test_the_same_date_or_one_more_exact_is_accepted(gold: str, prediction: str) -> None:
    assert _part(gold, prediction) in (Part.EXACT, Part.DATE)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        # Less exact: tables 3.15 and the text of the thesis.
        ("November 5, 2019", "2019"),
        ("26 August 1968", "August 1968"),
        ("the mid-19th century", "1861"),
        ("May 2009", "2009"),
        ("May 31, 2009", "May 31"),
        ("January 2018", "January"),
        ("1975", "the 1970s"),
        ("1970s", "20th century"),
        # Another date.
        ("1970", "April 1971"),
        ("May 2009", "June 2009"),
        ("May 31, 2009", "May 30, 2009"),
        ("May 31, 2009", "May 31, 2010"),
        ("January", "February 27, 2018"),
        ("1970s", "1980"),
        ("19th century", "1800"),
        ("19th century", "1901"),
        ("44 BC", "44"),
        ("44 BC", "March 44"),
        ("2018", "2018 BC"),
        # Part of a time that nobody knows exactly.
        ("late 1967", "1967"),
        ("late 1967", "March 1967"),
        ("early 1970s", "1971"),
        ("summer 2015", "July 2015"),
        # Ranges, ages and periods are compared as texts.
        ("from 1861 to 1865", "1861"),
        ("1939 -- 1945", "1942"),
        ("1861", "from 1861 to 1865"),
        ("10,000 years ago", "10,001 years ago"),
        ("1967", "before 1967"),
        ("1967", "after 1967"),
        ("1967", "until 1967"),
        # Two years, not a month.
        ("2009 -- 10", "October 2009"),
        ("2009", "2009-10"),
        ("October 2009", "2009-10"),
        ("in season 1", "year 1"),
        # No such day, or two readings.
        ("February 2001", "February 30, 2001"),
        ("2001", "February 29, 2001"),
        ("March 5, 1996", "03/05/1996"),
        ("May 3, 1996", "03/05/1996"),
        ("1996", "96"),
        # No dates.
        ("2018", "2018 people"),
        ("2018", "Windows 2018 Server"),
        ("May 2018", "Theresa May"),
        ("2018", ""),
        ("the", "in"),
    ],
)
def test_everything_else_is_wrong(gold: str, prediction: str) -> None:
    assert _part(gold, prediction) is Part.WRONG


@pytest.mark.parametrize("question", ["in which year was it", "since when", "whenever it was", "how many", ""])
def test_only_questions_that_begin_with_when_ask_for_dates(question: str) -> None:
    assert not asks_when(question)
    assert _part("1970", "April 1970", question) is Part.WRONG


@pytest.mark.parametrize("question", ["when was it", "  When was it?", "when's it on", "when 's it on", "WHEN"])
def test_case_spaces_and_a_short_is_make_no_difference(question: str) -> None:
    assert _part("1970", "April 1970", question) is Part.DATE


def test_each_gold_answer_counts() -> None:
    (accepted,) = open_judge().accepted(["when did they win"], [["1980", "May 2008"]])
    assert [accepted.part_of(text) for text in ("1 June 1980", "May 21, 2008", "June 21, 2008", "1980")] == [
        Part.DATE,
        Part.DATE,
        Part.WRONG,
        Part.EXACT,
    ]


@given(st.integers(1000, 2100), st.integers(1, 12), st.integers(1, 28))
def test_a_day_is_within_its_month_and_its_year_and_not_the_other_way(year: int, month: int, day: int) -> None:
    times = [
        read_time(f"{MONTHS[month - 1]} {day}, {year}"),
        read_time(f"{MONTHS[month - 1]} {year}"),
        read_time(f"{year}"),
    ]
    held = [[bool(one and other and one.holds(other)) for other in times] for one in times]
    assert held == [[True, False, False], [True, True, False], [True, True, True]]


@given(st.text(max_size=100) | st.text(alphabet="0123456789 ,-/()AaMmyth's", max_size=100))
def test_any_text_is_read_the_same_again(text: str) -> None:
    plain = without_hedges(text)
    assert read_time(plain) == read_time(text)
    time = read_time(text)
    assert time is None or time.is_part or time.holds(time)
