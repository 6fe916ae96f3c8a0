"""Dates of a dump that has lost how exact they are.

A truthy dump writes a year as its first of January and a month as its first day. Here is decided what a date stands
for:

- A first of January stands for its year.
- Another first of a month stands for that day only where this is plausible: where the property's dates fall on first
  days at most twice as often as on an average other day. Births and deaths do (1.1 to 1.3 times as often); inceptions,
  dissolutions and openings (over 5 times) are mostly months. Where there are too few dates to tell, it is the day.
- Every other day stands for itself.

Years are those of ISO 8601: 0 is 1 BC, -43 is 44 BC. A year may have more than four digits.

>>> read_date("-0043-03-15T00:00:00Z")
Date(year=-43, month=3, day=15)
>>> read_date("2015-05-01T00:00:00Z").as_exact_as_plausible(firsts_are_days=False).forms()
('May 2015',)
"""

import re
from calendar import monthrange
from collections.abc import Iterable
from typing import NamedTuple

_DATE = re.compile(r"([+-]?[0-9]{4,12})(?:-([0-9]{2})(?:-([0-9]{2})(?:T[0-9:.]*)?)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MOST_FIRSTS = 2.0
_LEAST_DATES = 30
_OTHER_DAYS_A_MONTH = 365.25 / 12 - 1
_JANUARY_LEFT_OUT = 11 / 12


class Date(NamedTuple):
    """A day, a month (day 0) or a year (month 0)."""

    year: int
    month: int
    day: int

    def as_exact_as_plausible(self, *, firsts_are_days: bool) -> "Date":
        """Return what the date stands for."""
        if (self.month, self.day) == (1, 1):
            return Date(self.year, 0, 0)
        return Date(self.year, self.month, 0) if self.day == 1 and not firsts_are_days else self

    def forms(self) -> tuple[str, ...]:
        """Return the ways to write it, best first."""
        year = str(self.year) if self.year > 0 else f"{1 - self.year} BC"
        if self.month == 0:
            return (year,)
        month = MONTHS[self.month - 1]
        if self.day == 0:
            return (f"{month} {year}",)
        return (f"{month} {self.day}, {year}", f"{self.day} {month} {year}")


def read_date(value: str) -> Date | None:
    """Read an ISO date, year or month; None if it is none.

    >>> read_date("2000-02-29"), read_date("1900-02-29")
    (Date(year=2000, month=2, day=29), None)
    """
    match = _DATE.fullmatch(value)
    if match is None:
        return None
    year, month, day = (int(part or 0) for part in match.groups())
    return Date(year, month, day) if month <= 12 and day <= _days(year, month) else None


def _days(year: int, month: int) -> int:
    """Count the days of a month; a year alone has none. Leap years repeat after 400 years, before Christ too."""
    return monthrange(2000 + year % 400, month)[1] if month else 0


def firsts_are_days(dates: Iterable[tuple[Date, int]]) -> bool:
    """Tell whether the firsts of months among the dates of a property, each with its number of facts, are plausible.

    >>> some = [(Date(2000, 3, day), 10) for day in range(2, 32)]
    >>> firsts_are_days([*some, (Date(2000, 3, 1), 15)]), firsts_are_days([*some, (Date(2000, 3, 1), 60)])
    (True, False)
    """
    n_firsts = n_others = 0
    for date, n_facts in dates:
        if date.day > 1:
            n_others += n_facts
        elif date.day == 1 and date.month > 1:
            n_firsts += n_facts
    if n_others < _LEAST_DATES:
        return True
    return n_firsts <= _MOST_FIRSTS * _JANUARY_LEFT_OUT * n_others / _OTHER_DAYS_A_MONTH
