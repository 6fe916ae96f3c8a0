"""How a value is written as an answer: the form people expect first, other forms after it.

Only the first form of an answer is scored (PAQ reads `answer[0]`), so it follows Natural Questions: "October 4, 1830",
"1996", "6". docs/templates.md has the rules as a table. What a date stands for is decided in factmill/dates.py.

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
>>> answer_forms(Kind.QUANTITY, "6.0")
('6', 'six')
>>> answer_forms(Kind.QUANTITY, "8804190")
('8,804,190', '8804190')
>>> answer_forms(Kind.QUANTITY, "1.850", unit="metres")
('1.85 metres', '1.85')
>>> answer_forms(Kind.QUANTITY, "1", unit="kilometres per hour")
('1 kilometre per hour', '1', 'one')
>>> answer_forms(Kind.DATE, "-13798000000-01-01T00:00:00Z"), answer_forms(Kind.QUANTITY, "1_000")
((), ())
>>> answer_forms(Kind.COORDINATE, "Point(4.9 52.4)")
()
"""

import re
from decimal import Decimal
from functools import cache

from factmill.dates import read_date
from factmill.kinds import Kind

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_MAX_DIGITS = 27
"""One less than Python's decimals keep exactly."""
_EARLIEST_YEAR = -99_999
"""Of earlier years a dump gives the first of January of a year that nobody knows so exactly."""
_LEAST_WITH_COMMAS = 10_000
"""A number of four digits may be a year."""
_MOST_IN_WORDS = 100


def answer_forms(kind: Kind, value: str, *, firsts_are_days: bool = True, unit: str | None = None) -> tuple[str, ...]:
    """Return the ways to write this value, best first; none if it cannot be an answer."""
    if kind is Kind.DATE:
        date = read_date(value)
        if date is None or date.year < _EARLIEST_YEAR:
            return ()
        return date.as_exact_as_plausible(firsts_are_days=firsts_are_days).forms()
    if kind is Kind.QUANTITY:
        return _quantity_forms(value, unit)
    if kind is Kind.TEXT:
        text = " ".join(value.split())
        return (text,) if text else ()
    return ()


def _quantity_forms(value: str, unit: str | None) -> tuple[str, ...]:
    if not _NUMBER.fullmatch(value) or len(value) > 2 * _MAX_DIGITS:
        return ()
    number = Decimal(value)
    if abs(number.adjusted()) > _MAX_DIGITS or len(number.as_tuple().digits) > _MAX_DIGITS:
        return ()
    plain = format(number.normalize(), "f") if number else "0"
    forms = [plain]
    if abs(number) >= _LEAST_WITH_COMMAS:
        forms.insert(0, format(Decimal(plain), ",f"))
    if 0 <= number <= _MOST_IN_WORDS and plain.isdigit():
        forms.append(_in_words(int(plain)))
    if unit:
        forms.insert(0, f"{forms[0]} {_singular(unit) if number == 1 else unit}")
    return tuple(forms)


@cache
def _in_words(number: int) -> str:
    import inflect

    return str(inflect.engine().number_to_words(str(number)))


@cache
def _singular(unit: str) -> str:
    import inflect

    first, space, rest = unit.partition(" ")
    return f"{inflect.engine().singular_noun(first) or first}{space}{rest}"
