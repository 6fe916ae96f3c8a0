"""Raw infobox values: the text that DBpedia's `dbp:` predicates hold, read as dates, numbers and clean texts.

A value that is only a date or a number, with decoration, becomes one; all else stays the text that a reader of the
page sees, in one line, or is refused with a reason. Nothing is guessed. docs/dbpedia_values.md has all rules.

>>> [value.value for value in read_infobox_value("{{ubl|May 3, 1996 (age 30)|1,234[1]|''Ada'' & Bob}}").values]
['1996-05-03', '1234', 'Ada & Bob']
>>> read_infobox_value("TBA")
Read(values=(), refusal='says that nothing is known', left_out=())
"""

import re
from decimal import Decimal
from typing import NamedTuple

from factmill.facts import Kind
from factmill.written_dates import NoSuchDate, day_of_year, iso_date
from sources._wikitext import UNKNOWN, has_markup, plain_lines

MAX_RAW_CHARACTERS = 4_000
MAX_CHARACTERS = 300
_MAX_ROUNDS = 4
_UNSETTLED = "{{"
_MAX_DIGITS = 30

_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_UNSEEN = re.compile("[\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
_UNREADABLE = re.compile("[\ud800-\udfff\ufffd-\uffff]")
_EMPTY_BRACKETS = re.compile(r" ?\([ ,;]*\)| ?\[[ ,;]*\]")
_GOES_ON = re.compile(r"(?:,|&|\b(?:and|at|by|for|in|of|the|to|with))\Z")
_CONTINUES = re.compile(r"\(|(?:&|and|at|by|for|in|of|the|to|with)(?: |\Z)")

_PHRASES = {
    "says that nothing is known": "n/a|n.a|not applicable|not available|not known|tba|tbc|tbd|to be announced|"
    "to be confirmed|to be determined|uncertain|undisclosed|unk|unknown|unspecified|0000|0000-00-00",
    "says that there is none": "nil|none|null",
    "says that it goes on": "current|currently|ongoing|present|to present",
    "names nothing": "many|multiple|others|several|various",
}
_SAYS_NOTHING = {phrase: reason for reason, phrases in _PHRASES.items() for phrase in phrases.split("|")}
_OPENINGS = {
    "says that nothing is known": r"[\s?.…_/:\"'·•—–−()\[\]-]*\Z",
    "points elsewhere": r"lists? of |see (?:\w+ ){0,2}(?:above|article|below|lists?|notes?|section|table|text)\Z",
    "a file name": r"(?:file|image|media):",
    "a web address": r"www\.",
    "layout": r"#(?:[0-9a-f]{6}|[0-9a-f]{8})\Z|[0-9]+ ?px\Z|(?:bgcolor|colspan|rowspan)\b",
    "broken markup": r"(?:(?:birth|death|end|film|start) date(?: and age)?|(?:flat|h|plain|unbulleted )list|ubl)\Z",
}
_PARTS = {
    "a file name": r"\.(?:djvu|flac|gif|jpe?g|midi?|mp[34]|og[agv]|pdf|png|svg|tiff?|wav|web[mp])\Z",
    "a web address": r"(?:https?|ftp)://",
    "layout": r"\b(?:align|bgcolor|border|class|colou?r|colspan|height|rowspan|style|valign|width) ?=",
    "broken markup": r"\{\{|\}\}|\[\[|\]\]|\||<[a-z/!]",
}
_OPENING = re.compile("|".join(f"({pattern})" for pattern in _OPENINGS.values()), re.IGNORECASE)
_PART = re.compile("|".join(f"({pattern})" for pattern in _PARTS.values()), re.IGNORECASE)
# Most texts have none of these, and looking for them first makes reading twice as fast.
_IN_PARTS = re.compile(r"[./={}\[\]|<]")

_DIGIT = re.compile("[0-9]")
_HEDGE = re.compile(r"(?:(?:ca?|approx|est)\.|circa\b|approximately\b|about\b|around\b|ca?(?= )|[~≈]) ?", re.IGNORECASE)
_AGE = r"aged? [0-9]{1,3}(?:[–-][0-9]{1,3})?|[0-9]{1,4}(?:[–-][0-9]{1,4})? (?:years?|months?|days?) (?:ago|old)"
_ASIDE = rf"{_AGE}|(?:see )?lists?(?: of [^()]*)?|as (?:at|of) [^()]*|est\.?|estimated?|approx\.?|approximate(?:ly)?"
_PLACE = r"U\.?S\.?A?\.?|United States|U\.?K\.?|United Kingdom|Canada|Australia|France|Germany|India|Japan|worldwide"
_REMARK = re.compile(rf"[,;]? ?\((?:{_ASIDE})\)\Z|[,;] ?(?:{_AGE})\Z", re.IGNORECASE)
_PLACE_REMARK = re.compile(rf" \((?:{_PLACE})\)\Z", re.IGNORECASE)
_ISO_AND_WORDS = re.compile(r"\(([0-9]{4}-[0-9]{2}-[0-9]{2})\) ?(.*)")
_WORDS_AND_ISO = re.compile(r"(.*?) ?\(([0-9]{4}-[0-9]{2}-[0-9]{2})\)")
_YEARS = re.compile(r"((?:1[0-9]|20)[0-9]{2}) ?(?:--?|[–—−]|to) ?((?:1[0-9]|20)[0-9]{2}|present)", re.IGNORECASE)
_COUNTED = re.compile(
    r" (?:albums?|chapters?|employees|episodes?|goals?|inhabitants|issues?|members?|pages?|people|players?|residents|"
    r"seasons?|seats|series|songs?|students|tracks?|volumes?)\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"([+−-]?)(0|[1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]*)?(\.[0-9]+)?"
    r"(?:(?:e| ?[×x] ?10\^?)([+−⁻-]?[0-9⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))?",
    re.IGNORECASE,
)
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")


class InfoboxValue(NamedTuple):
    """A date as exact as it is stated, a plain decimal number, or a text in one line."""

    kind: Kind
    value: str


class Read(NamedTuple):
    """What a raw value holds. Without values there is a refusal; `left_out` has one for each line of a list."""

    values: tuple[InfoboxValue, ...]
    refusal: str | None = None
    left_out: tuple[str, ...] = ()


class _Refused(Exception):
    """A line that is no value, with the reason."""


def read_infobox_value(text: str) -> Read:
    """Read a raw infobox value, which may be a list.

    >>> read_infobox_value("c. 1850").values
    (InfoboxValue(kind=<Kind.DATE: 'date'>, value='1850'),)
    """
    if len(text) > MAX_RAW_CHARACTERS:
        return Read((), f"longer than {MAX_RAW_CHARACTERS:,} characters")
    values: dict[InfoboxValue, None] = {}
    refusals = []
    for line in filter(None, _lines(text)):
        try:
            values[_value(line)] = None
        except _Refused as refusal:
            refusals.append(str(refusal))
    if values:
        return Read(tuple(values), None, tuple(refusals))
    return Read((), refusals[0] if refusals else "empty")


def _lines(text: str) -> list[str]:
    """Return the lines that a reader sees, each of which shows as itself."""
    if not text.isprintable():
        text = _UNREADABLE.sub("\ufffd", _UNSEEN.sub("", _CONTROLS.sub(" ", text)))
    lines = [text.strip()]
    for _ in range(_MAX_ROUNDS):
        shown = [_tidy(part) for line in lines for part in (_joined(plain_lines(line)) if has_markup(line) else [line])]
        if shown == lines:
            return lines
        lines = shown
    return [_UNSETTLED]


def _joined(lines: list[str]) -> list[str]:
    """Put lines together that were broken only to fit into their box."""
    joined: list[str] = []
    for line in lines:
        if joined and (_CONTINUES.match(line) or _GOES_ON.search(joined[-1])):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
    return joined


def _tidy(line: str) -> str:
    return (
        " ".join((_EMPTY_BRACKETS.sub("", line) if "(" in line or "[" in line else line).split())
        .strip(" ,;")
        .rstrip(" ,;†‡*(")
    )


def _value(line: str) -> InfoboxValue:
    if len(line) > MAX_CHARACTERS:
        raise _Refused(f"a text of more than {MAX_CHARACTERS} characters")
    if UNKNOWN in line:
        raise _Refused("unknown template")
    if "\ufffd" in line:
        raise _Refused("unreadable characters")
    if reason := _SAYS_NOTHING.get(line.lower().strip(" .?()")):
        raise _Refused(reason)
    if opening := _OPENING.match(line):
        raise _Refused(list(_OPENINGS)[(opening.lastindex or 1) - 1])
    if _IN_PARTS.search(line) and (part := _PART.search(line)):
        raise _Refused(list(_PARTS)[(part.lastindex or 1) - 1])
    if _DIGIT.search(line):
        return _date_or_number(line)
    return InfoboxValue(Kind.TEXT, line)


def _date_or_number(line: str) -> InfoboxValue:
    try:
        if date := _date(line):
            return InfoboxValue(Kind.DATE, date)
        text = day_of_year(line) or line
    except NoSuchDate as error:
        raise _Refused("a date that does not exist") from error
    if number := _number(_COUNTED.sub("", _bare(line))):
        return InfoboxValue(Kind.QUANTITY, number)
    if years := _YEARS.fullmatch(line):
        text = f"{years[1]}–{years[2]}"
    return InfoboxValue(Kind.TEXT, text)


def _bare(line: str) -> str:
    """Take off what hedges or comments on a date or number without changing it."""
    hedge = _HEDGE.match(line)
    bare = line[hedge.end() :] if hedge else line
    while remark := _REMARK.search(bare):
        bare = bare[: remark.start()]
    return bare


def _date(line: str) -> str | None:
    bare = _PLACE_REMARK.sub("", _bare(line))
    if both := _ISO_AND_WORDS.fullmatch(bare):
        return both[1] if iso_date(both[2]) == both[1] else None
    if both := _WORDS_AND_ISO.fullmatch(bare):
        return both[2] if iso_date(both[1]) == both[2] else None
    return iso_date(bare)


def _number(text: str) -> str | None:
    """Return a number as a plain decimal.

    >>> _number("1,234"), _number("−5"), _number("1.5×10⁶"), _number("007"), _number("12+")
    ('1234', '-5', '1500000', None, None)
    """
    match = _NUMBER.fullmatch(text)
    if match is None or not (match[2] or match[3]) or len(text) > _MAX_DIGITS:
        return None
    sign = "-" if match[1] in ("-", "−") else ""
    digits = f"{sign}{match[2] or '0'}{match[3] or ''}e{match[4] or '0'}".replace(",", "").translate(_PLAIN_DIGITS)
    number = Decimal(digits)
    return format(abs(number) if number.is_zero() else number, "f") if abs(number.adjusted()) < _MAX_DIGITS else None
