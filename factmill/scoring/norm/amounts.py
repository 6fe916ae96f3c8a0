"""Amounts in answers to "how many" and "how much": the numbers of a text, whatever stands around them.

The thesis takes out all that is no digit, so "6 ft 3 in" is 63 and "2 to 3" is 23. Here a text has a list of numbers,
and two texts state the same amount if their lists are equal.

>>> read_amount("over six million") == read_amount("6,000,000 copies") == read_amount("$6M")
True
>>> [str(number) for number in read_amount("6 ft 3 in")]
['6', '3']
"""

import re
from decimal import Decimal
from functools import lru_cache

_HOW_MANY = re.compile(r"how (?:many|much)\b", re.IGNORECASE)
_MAX_CHARACTERS = 200
_BELOW_HUNDRED = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety"
)
_ORDINALS = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|"
    "sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth|fortieth|fiftieth|sixtieth|seventieth|eightieth|"
    "ninetieth|hundredth|thousandth|millionth"
)
_ZEROS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "quadrillion": 15, "quintillion": 18}
_ZEROS_OF_LETTERS = {"k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9}
_SCALE = "|".join(_ZEROS)
_WORD = f"(?:{_BELOW_HUNDRED}|{_ORDINALS}|{_SCALE})"
_IN_WORDS = re.compile(rf"\b{_WORD}(?:(?: ?- ?| and | ){_WORD})*\b", re.IGNORECASE)
# In India it is 12,34,567.
_DIGITS = r"(?<![A-Za-z0-9.])(?:[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
_NUMBER = re.compile(_DIGITS)
_SCALED = re.compile(rf"(?P<number>{_DIGITS})(?P<scales>(?:[ -]?(?:{_SCALE})\b)+)", re.IGNORECASE)
# Elsewhere 5 m are metres.
_SUM = re.compile(rf"[$€£] ?(?P<number>{_DIGITS}) ?(?P<letters>k|mn?|bn?)\b", re.IGNORECASE)
_BRACKETED = re.compile(r"\([^()]*\)?")
_NOT_READ = re.compile(
    r"\b(?:half|halves|quarters?|thirds|dozens?|tens|hundreds|thousands|millions|billions|several|few|many|couple|"
    r"no|not|point|minus)\b|[½⅓⅔¼¾]|[0-9]/[0-9]",
    re.IGNORECASE,
)
"""What makes another number of those that stand there."""
_MAY_PRECEDE = """
    a about after all almost an approximately around as at best between c ca circa currently estimated exactly exceeding
    fewer from in just least less many maximum minimum more most much nearly of only over roughly some than the to total
    under up us usd usually well
"""
_HEDGES = frozenset(_MAY_PRECEDE.split())
_SECOND = re.compile(r"\b(one|a|per|each|[0-9]) second\b", re.IGNORECASE)

Amount = tuple[Decimal, ...]


def asks_how_many(question: str) -> bool:
    """Tell whether a question asks for an amount.

    >>> asks_how_many(" How many are there"), asks_how_many("how did he")
    (True, False)
    """
    return _HOW_MANY.match(question.strip()) is not None


@lru_cache(maxsize=100_000)
def read_amount(text: str) -> Amount | None:
    """Return the numbers of a text in their order, None if it has none or they are not all that counts.

    >>> read_amount("one hundred and five (in 2018)"), read_amount("-1.50 °C")
    ((Decimal('105'),), (Decimal('-1.5'),))
    >>> [read_amount(text) for text in ("half a million", "a dozen", "many", "The Jackson 5", "Ryan ten Doeschate")]
    [None, None, None, None, None]
    """
    if len(text) > _MAX_CHARACTERS or not (text := _BRACKETED.sub(" ", text).strip()) or _NOT_READ.search(text):
        return None
    text = _SECOND.sub(r"\1 s", text)
    text = _IN_WORDS.sub(_in_digits, _SCALED.sub(_multiplied, _SUM.sub(_of_letters, text)))
    found = list(_NUMBER.finditer(text))
    # Behind other words a number is mostly a part of a name.
    if not found or not _HEDGES.issuperset(re.findall(r"[^\W\d_]+", text[: found[0].start()].lower())):
        return None
    numbers = [Decimal(match[0].replace(",", "")).normalize() for match in found]
    return (-numbers[0], *numbers[1:]) if text[0] in "-−" else tuple(numbers)


def _multiplied(match: re.Match[str]) -> str:
    return _times(match["number"], sum(_ZEROS[word.lower()] for word in re.findall(r"\w+", match["scales"])))


def _of_letters(match: re.Match[str]) -> str:
    return _times(match["number"], _ZEROS_OF_LETTERS[match["letters"].lower()])


def _times(number: str, zeros: int) -> str:
    return format(Decimal(number.replace(",", "")).scaleb(zeros), "f")


def _in_digits(match: re.Match[str]) -> str:
    return _words_in_digits(match[0].lower())


@lru_cache(maxsize=10_000)
def _words_in_digits(words: str) -> str:
    from number_parser import parse

    return str(parse(words, "en"))
