"""Dates in answers to "when": what time a text states, and whether one lies within another.

Nothing is guessed: a part that a text does not state is not known, and a text that is not wholly a date is none.

>>> read_time("sometime in 2018").holds(read_time("April 3rd, 2018"))
True
>>> read_time("April 3rd, 2018").holds(read_time("2018"))
False
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from factmill.dates import MONTHS, read_date
from factmill.written_dates import NoSuchDate, iso_date

_WHEN = re.compile(r"when(?:'s|’s)?(?![\w'’])", re.IGNORECASE)
_MAX_CHARACTERS = 80
_SAYS_NOTHING = re.compile(
    r"\b(?:the|in|on|at|of|during|since|as|sometime|about|around|circa|ca?|approximately|roughly)\b\.?|~"
    r"|\byear\b(?= (?:of )?[0-9]{4}\b)|(?<=[0-9]{2}) (?:season|model year)\b",
    re.IGNORECASE,
)
"""Words that do not change which date is meant."""
_NARROWS = re.compile(
    r"\b(?:early|mid|middle|late|spring|summer|autumn|fall|winter|beginning|start|end)\b-?", re.IGNORECASE
)
"""Words that mean an unknown part of the time that follows."""
_DASHES = re.compile(r" ?(?:--|[-–—/]) ?")
_BRACKETED = re.compile(r"\([^()0-9]*\)?")
_MONTH_FORM = f"(?P<month>{'|'.join(MONTHS)}|(?:{'|'.join(name[:3] for name in MONTHS)}|Sept)[.]?)"
_DAY_FORM = "(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_WITHOUT_YEAR = [
    re.compile(form, re.IGNORECASE)
    for form in (_MONTH_FORM, f"{_MONTH_FORM} {_DAY_FORM}", f"{_DAY_FORM} {_MONTH_FORM}")
]
_DECADE = re.compile(r"([12][0-9]{2}0)['’]?s")
_CENTURY = re.compile(r"([1-9][0-9]?)(?:st|nd|rd|th)[ -]century(?: (?:AD|CE))?", re.IGNORECASE)
_SEASON = re.compile(r"[0-9]{4}-[0-9]{2}")
"""Could be a month, but is written for two years far more often: 2009-10."""
_LEAP_YEAR = 2000


class Time(NamedTuple):
    """Years from the first to the last, and a month and a day of them; None and 0 are what is not stated."""

    first_year: int | None
    last_year: int | None
    month: int = 0
    day: int = 0
    is_part: bool = False
    """Whether an unknown part of it is meant, as in "late 2018"."""

    def holds(self, other: "Time") -> bool:
        """Tell whether another time states everything that this one states, the same or more exactly."""
        return not self.is_part and self._has_years_of(other) and self._has_day_of(other)

    def _has_years_of(self, other: "Time") -> bool:
        if self.first_year is None or self.last_year is None:
            return True
        if other.first_year is None or other.last_year is None:
            return False
        return self.first_year <= other.first_year and other.last_year <= self.last_year

    def _has_day_of(self, other: "Time") -> bool:
        return self.month in (0, other.month) and self.day in (0, other.day)


def asks_when(question: str) -> bool:
    """Tell whether a question asks for a date.

    >>> [asks_when(text) for text in ("  When was it?", "when's it on", "whenever you are", "since when")]
    [True, True, False, False]
    """
    return _WHEN.match(question.strip()) is not None


@lru_cache(maxsize=100_000)
def read_time(text: str) -> Time | None:
    """Return the date, month, year, decade or century that a text states, None if it states none.

    >>> read_time("31st of may 2009") == read_time("May 31 , 2009") == read_time("2009 - 05 - 31")
    True
    >>> [read_time(text) for text in ("the 1970s", "January", "10,000 years ago", "1967 to 1969")]
    [Time(first_year=1970, last_year=1979, month=0, day=0, is_part=False), \
Time(first_year=None, last_year=None, month=1, day=0, is_part=False), None, None]
    """
    if len(text) > _MAX_CHARACTERS:
        return None
    plain = without_hedges(text)
    narrowed = " ".join(_NARROWS.sub(" ", plain).split())
    time = next(_readings(narrowed), None)
    return time and time._replace(is_part=narrowed != plain)


@lru_cache(maxsize=100_000)
def without_hedges(text: str) -> str:
    """Return a text without the words that do not change which time is meant, dashes and spaces in one form.

    >>> without_hedges("about 10,000 years ago"), without_hedges("the 2017 -- 18 season .")
    ('10,000 years ago', '2017-18')
    """
    text = _DASHES.sub(lambda dash: "/" if "/" in dash[0] else "-", _BRACKETED.sub(" ", text))
    return re.sub(r" +(?=,)", "", " ".join(_SAYS_NOTHING.sub(" ", text).split())).strip(" ,.;")


def _readings(text: str) -> Iterator[Time]:
    if decade := _DECADE.fullmatch(text):
        yield Time(int(decade[1]), int(decade[1]) + 9)
    elif century := _CENTURY.fullmatch(text):
        yield Time(int(century[1]) * 100 - 99, int(century[1]) * 100)
    elif not _SEASON.fullmatch(text) and (date := read_date(_iso(text))):
        yield Time(date.year, date.year, date.month, date.day)
    for form in _WITHOUT_YEAR:
        if match := form.fullmatch(text):
            parts = match.groupdict()
            month = 1 + [name[:3] for name in MONTHS].index(parts["month"][:3].title())
            day = int(parts.get("day") or 0)
            if read_date(f"{_LEAP_YEAR}-{month:02}-{day:02}" if day else f"{_LEAP_YEAR}-{month:02}"):
                yield Time(None, None, month, day)


def _iso(text: str) -> str:
    try:
        return iso_date(text) or ""
    except NoSuchDate:
        return ""
