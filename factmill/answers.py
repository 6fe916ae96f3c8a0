"""How a value is written as an answer: the form people expect first, other forms after it.

Only the first form of an answer is scored (PAQ reads `answer[0]`), so it follows Natural Questions: "October 4, 1830",
"1996", "6". What a date stands for is decided in factmill/dates.py.

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

from decimal import Decimal, InvalidOperation

from factmill.dates import read_date
from factmill.facts import Kind

_MAX_DIGITS = 30


def answer_forms(kind: Kind, value: str, *, firsts_are_days: bool = True) -> tuple[str, ...]:
    """Return the ways to write this value, best first; none if it cannot be an answer."""
    if kind is Kind.DATE:
        date = read_date(value)
        return date.as_exact_as_plausible(firsts_are_days=firsts_are_days).forms() if date else ()
    if kind is Kind.QUANTITY:
        return _quantity_forms(value)
    if kind is Kind.TEXT:
        text = " ".join(value.split())
        return (text,) if text else ()
    return ()


def _quantity_forms(value: str) -> tuple[str, ...]:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return ()
    if not number.is_finite() or abs(number.adjusted()) > _MAX_DIGITS or len(value) > 2 * _MAX_DIGITS:
        return ()
    return (format(number.normalize(), "f"),)
