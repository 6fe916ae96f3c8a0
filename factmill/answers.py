"""How a value is written as an answer: the form people expect first, other forms after it.

Only the first form of an answer is scored (PAQ reads `answer[0]`), so it follows Natural Questions: "October 4, 1830",
"1996", "6". Truthy dumps have lost the precision of dates: a first of January nearly always stands for its year.

>>> answer_forms(Kind.DATE, "1830-10-04T00:00:00Z")
('October 4, 1830', '4 October 1830')
>>> answer_forms(Kind.DATE, "1996-01-01T00:00:00Z")
('1996',)
>>> answer_forms(Kind.DATE, "1996-05")
('May 1996',)
>>> answer_forms(Kind.DATE, "-0043-03-15T00:00:00Z")
('March 15, 44 BC', '15 March 44 BC')
>>> answer_forms(Kind.QUANTITY, "+12.50")
('12.5',)
>>> answer_forms(Kind.COORDINATE, "Point(4.9 52.4)")
()
"""

import re
from decimal import Decimal, InvalidOperation

from factmill.facts import Kind

_DATE = re.compile(r"([+-]?[0-9]{4,9})(?:-([0-9]{2})(?:-([0-9]{2})(?:T[0-9:.]*)?)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MAX_DIGITS = 30


def answer_forms(kind: Kind, value: str) -> tuple[str, ...]:
    """Return the ways to write this value, best first; none if it cannot be an answer."""
    if kind is Kind.DATE:
        return _date_forms(value)
    if kind is Kind.QUANTITY:
        return _quantity_forms(value)
    if kind is Kind.TEXT:
        text = " ".join(value.split())
        return (text,) if text else ()
    return ()


def _date_forms(value: str) -> tuple[str, ...]:
    match = _DATE.fullmatch(value)
    if match is None:
        return ()
    year, month, day = (int(part or 0) for part in match.groups())
    # Year 0 is 1 BC in ISO 8601, -43 is 44 BC.
    year_text = str(year) if year > 0 else f"{1 - year} BC"
    if (month, day) == (1, 1) or month == 0:
        return (year_text,)
    if not 1 <= month <= 12 or not 0 <= day <= 31:
        return ()
    month_text = _MONTHS[month - 1]
    if day == 0:
        return (f"{month_text} {year_text}",)
    return (f"{month_text} {day}, {year_text}", f"{day} {month_text} {year_text}")


def _quantity_forms(value: str) -> tuple[str, ...]:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return ()
    if not number.is_finite() or abs(number.adjusted()) > _MAX_DIGITS or len(value) > 2 * _MAX_DIGITS:
        return ()
    return (format(number.normalize(), "f"),)
