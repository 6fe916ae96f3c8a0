"""Dates as people write them in English, turned into ISO dates as exact as they are stated.

Nothing is guessed: a form is one of these or the text is no date. "03/05/1996" is two dates, so it is none;
"25/12/1996" can only be one. Years go from 1000 BC to 2100; below 1000 they need four digits in a date like
0987-05-03, or AD.

>>> [iso_date(text) for text in ("May 3, 1996", "3 May 1996", "May 1996", "1996-5-3", "25/12/1996", "03/05/1996")]
['1996-05-03', '1996-05-03', '1996-05', '1996-05-03', '1996-12-25', None]
>>> iso_date("15 March 44 BC")
'-0043-03-15'
"""

import re

from factmill.dates import MONTHS, read_date

_FIRST_PLAIN_YEAR = 1000
# 1 BC would be written 0000, which is what forms are filled with where nothing is known.
_YEARS = [range(-999, 0), range(100, 2101)]

_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_MONTH = f"(?P<month>{'|'.join(MONTHS)}|(?:{'|'.join(name[:3] for name in MONTHS)}|Sept)[.]?)"
_WEEKDAY = r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?"
_YEAR = r"(?:(?P<ad>AD) )?(?P<year>[0-9]{1,4})(?: ?(?P<era>AD|CE|BCE?))?"
_IN_WORDS = [
    re.compile(rf"{_WEEKDAY}{_DAY}(?: of)? {_MONTH},? {_YEAR}", re.IGNORECASE),
    re.compile(rf"{_WEEKDAY}{_MONTH} {_DAY},? {_YEAR}", re.IGNORECASE),
    re.compile(rf"{_MONTH},? {_YEAR}", re.IGNORECASE),
    re.compile(_YEAR),
]
_TIME = r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
_ISO_DAY = re.compile(rf"(-0[0-9]{{3}}|[0-9]{{4}})([-/])([0-9]{{1,2}})\2([0-9]{{1,2}}){_TIME}")
_ISO_MONTH = re.compile(r"(-0[0-9]{3}|[0-9]{4})-(0[0-9]|1[0-2])")
_ISO_YEAR = re.compile(r"-?0[0-9]{3}")
_NUMBERS = re.compile(r"([0-9]{1,2})([/.])([0-9]{1,2})\2([0-9]{4})")
_NO_YEAR = re.compile(r"(?:--|0000-)([0-9]{2})-([0-9]{2})")


class NoSuchDate(ValueError):
    """The form is that of a date, but the calendar has no such day."""


def iso_date(text: str) -> str | None:
    """Return the date that this text is, None if it is none or more than one.

    >>> iso_date("1996-00-00"), iso_date("1996-97"), iso_date("Seattle, 1975")
    ('1996', None, None)
    """
    if match := _ISO_DAY.fullmatch(text):
        return _written(int(match[1]), int(match[3]), int(match[4]))
    if match := _ISO_MONTH.fullmatch(text):
        return _written(int(match[1]), int(match[2]), 0)
    if _ISO_YEAR.fullmatch(text):
        return _written(int(text), 0, 0)
    if match := _NUMBERS.fullmatch(text):
        return _only_reading(int(match[4]), int(match[1]), int(match[3]))
    for form in _IN_WORDS:
        if match := form.fullmatch(text):
            return _from_words(match.groupdict())
    return None


def day_of_year(text: str) -> str | None:
    """Return in words the day of a date that has no year.

    >>> day_of_year("--05-03")
    'May 3'
    """
    match = _NO_YEAR.fullmatch(text)
    if match is None or "00" in match.groups():
        return None
    _written(2000, int(match[1]), int(match[2]))
    return f"{MONTHS[int(match[1]) - 1]} {int(match[2])}"


def _from_words(parts: dict[str, str | None]) -> str | None:
    year, era = int(parts["year"] or 0), (parts["era"] or parts["ad"] or "").upper()
    if not era and year < _FIRST_PLAIN_YEAR:
        return None
    name = (parts.get("month") or "")[:3].title()
    month = 1 + [month[:3] for month in MONTHS].index(name) if name else 0
    return _written(1 - year if era.startswith("B") else year, month, int(parts.get("day") or 0))


def _only_reading(year: int, one: int, other: int) -> str | None:
    """Return the date if day and month can only be told apart in one way."""
    readings = {(month, day) for month, day in ((one, other), (other, one)) if read_date(_iso(year, month, day))}
    return _written(year, *readings.pop()) if len(readings) == 1 else None


def _written(year: int, month: int, day: int) -> str | None:
    if not any(year in years for years in _YEARS):
        return None
    written = _iso(year, month, day)
    if read_date(written) is None or (day and not month):
        raise NoSuchDate(written)
    return written


def _iso(year: int, month: int, day: int) -> str:
    parts = [f"{year:05}" if year < 0 else f"{year:04}", *(f"{part:02}" for part in (month, day) if part)]
    return "-".join(parts)
