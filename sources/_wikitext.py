"""Wikitext as the lines that a reader sees.

Lists, line breaks and list templates give several lines; links and styles give their text; references, pictures,
comments and flags go. A template that is not in the tables below stands as UNKNOWN in its line, because what it shows
cannot be known.

>>> plain_lines("[[Ada Lovelace|Ada]]<ref>a book</ref><br />{{nowrap|''Bob''}}")
['Ada', 'Bob']
"""

import re
import unicodedata
from functools import singledispatch
from itertools import takewhile

import mwparserfromhell
from mwparserfromhell.nodes import Argument, Comment, ExternalLink, Heading, HTMLEntity, Node, Tag, Template, Wikilink
from mwparserfromhell.parser import ParserError
from mwparserfromhell.wikicode import Wikicode

UNKNOWN = "\x01"
"""Stands for what cannot be shown. Callers take control characters out of what they pass."""

_BREAK = "\x02"
_MARKUP = re.compile(r"[{}\[\]<>|\n·•&]|''")
_LIST_SIGNS = ("*", "#", ":", ";")
_LINE_ENDS = re.compile(rf"{_BREAK}|\n\s*\n| [·•] ")
_STYLES = re.compile(r"'{2,5}")
# DBpedia writes some lists in one line.
_ONE_LINE_LIST = re.compile(r"\s*\*[^\n]*\s\*\s")
_BULLET = re.compile(r"(?:\A|\s)\*\s")
# Colours and ranks, not numbered lists.
_NUMBER_SIGN = re.compile(r"^#(?=\S)", re.MULTILINE)
_FOOTNOTE = re.compile(
    r"\s*\[(?:[0-9]{1,3}|[a-z]|(?:note|nb|n) ?[0-9]{1,3}|[^\[\]]{0,40}(?:needed|source|link|\?))\]", re.IGNORECASE
)
_UNSEEN_LINK = re.compile(r"\s*(?:file|image|media|category)\s*:", re.IGNORECASE)
_SCRIPTS = {
    "sup": str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻"),
    "sub": str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋"),
}

_LINE_TAGS = {"br", "center", "dd", "div", "dl", "dt", "hr", "li", "ol", "p", "ul"}
_UNSEEN_TAGS = {"del", "ref", "references", "s", "script", "strike", "style", "templatestyles"}
_UNKNOWN_TAGS = {"ce", "chem", "gallery", "imagemap", "math", "score", "table", "td", "th", "timeline", "tr"}

_LISTS = {
    "bulleted list", "comma separated entries", "cslist", "flatlist", "hlist", "ordered list", "plain list",
    "plainlist", "ubl", "ublist", "unbulleted list",
}  # fmt: skip
_DATES = {
    "bda", "birth date", "birth date and age", "birth-date", "birth-date and age", "date", "dda", "death date",
    "death date and age", "death-date", "death-date and age", "dob", "end date", "end date and age", "end-date",
    "launch date", "start date", "start date and age", "start-date",
}  # fmt: skip
_YEARS = {"birth year", "birth year and age", "death year", "death year and age"}
_FILM_DATES = {"film date", "filmdate"}
_FIRST_SHOWN = {
    "abbr", "center", "flag", "flagcountry", "flagu", "ill", "interlanguage link", "marriage", "nihongo", "no wrap",
    "nobold", "nobr", "nobreak", "noitalic", "nowrap", "nts", "small", "smaller", "tooltip",
}  # fmt: skip
_SECOND_SHOWN = {"color", "lang", "langx", "resize", "sort"}
_UNSEEN = {
    "better source needed", "citation", "citation needed", "clarify", "cn", "dagger", "dead link", "decrease",
    "double dagger", "dubious", "efn", "endflatlist", "endplainlist", "fact", "flag icon", "flagdeco", "flagicon",
    "increase", "note", "r", "ref", "refn", "rp", "sfn", "sfnp", "steady", "when", "who",
}  # fmt: skip
_WRITTEN = {
    "br": _BREAK, "break": _BREAK, "dot": " · ", "en dash": "–", "n/a": "N/A", "nbsp": " ", "ndash": "–",
    "snd": " – ", "spaced ndash": " – ", "spnd": " – ", "tba": "TBA", "tbd": "TBD", "unknown": "unknown", "·": " · ",
    "•": " • ",
}  # fmt: skip


# The parser tries every way to close what is open, and takes a second for some hundreds of these.
_OPENING = re.compile(r"\{\{|\{\||\[\[|<")
_MAX_OPENINGS = 100


def has_markup(text: str) -> bool:
    """Tell whether a text could show as something else than it is."""
    return _MARKUP.search(text) is not None or text.startswith(_LIST_SIGNS)


def plain_lines(text: str) -> list[str]:
    """Return the lines of a wikitext without their markup; what cannot be parsed stays as it is."""
    text = _NUMBER_SIGN.sub("&#35;", text)
    if _ONE_LINE_LIST.match(text):
        text = _BULLET.sub("\n* ", text)
    if len(_OPENING.findall(text)) > _MAX_OPENINGS:
        return [text]
    try:
        shown = _shown(mwparserfromhell.parse(text, skip_style_tags=True))
    except (ParserError, RecursionError):
        return [text]
    shown = _FOOTNOTE.sub("", _STYLES.sub("", shown))
    lines = (" ".join(line.split()) for line in _LINE_ENDS.split(shown))
    return [line for line in lines if line]


def _shown(code: Wikicode | None) -> str:
    return "".join(map(_node, code.nodes)) if code is not None else ""


@singledispatch
def _node(node: Node) -> str:
    return str(node)


@_node.register
def _comment(node: Comment) -> str:
    return ""


@_node.register
def _argument(node: Argument) -> str:
    return UNKNOWN


@_node.register
def _heading(node: Heading) -> str:
    return _shown(node.title)


@_node.register
def _entity(node: HTMLEntity) -> str:
    character = node.normalize()
    if character.isprintable():
        return character
    return "" if unicodedata.category(character) == "Cf" else " "


@_node.register
def _link(node: Wikilink) -> str:
    if _UNSEEN_LINK.match(str(node.title)):
        return ""
    return _shown(node.text).strip() or _shown(node.title).strip().removeprefix(":")


@_node.register
def _address(node: ExternalLink) -> str:
    return _shown(node.title) if node.brackets else _shown(node.url)


@_node.register
def _tag(node: Tag) -> str:
    name = str(node.tag).strip().lower()
    if name in _UNSEEN_TAGS:
        return ""
    if name in _UNKNOWN_TAGS:
        return UNKNOWN
    text = _shown(node.contents)
    if name in _LINE_TAGS:
        return f"{_BREAK}{text}{_BREAK}"
    # A power must not run into its number: 10<sup>6</sup> is not 106.
    return text.translate(_SCRIPTS[name]) if name in _SCRIPTS else text


@_node.register
def _template(node: Template) -> str:
    name = " ".join(_shown(node.name).replace("_", " ").split()).lower()
    values = _values(node)
    if name in _WRITTEN:
        return _WRITTEN[name]
    if name in _UNSEEN or name.startswith("cite "):
        return ""
    if name in _LISTS:
        return _BREAK.join(["", *(line for value in values for line in _BULLET.split(value)), ""])
    if name.startswith("formatnum:"):
        return name.removeprefix("formatnum:")
    return _from_values(name, values) if values else UNKNOWN


def _from_values(name: str, values: list[str]) -> str:
    """Show a template that shows what it is given: a date, or some text as it stands."""
    if name in _DATES:
        return _joined(values[:3])
    if name in _YEARS:
        return values[0]
    if name in _FILM_DATES:
        return _BREAK.join(_joined(values[start : start + 3]) for start in range(0, len(values), 4))
    if name in ("c.", "circa"):
        return f"c. {values[0]}"
    if name in _FIRST_SHOWN or name.startswith("lang-"):
        return values[0]
    return values[:2][-1] if name in _SECOND_SHOWN else UNKNOWN


def _joined(values: list[str]) -> str:
    """Write year, month and day as a date, or return the first value if that is no year."""
    parts = list(takewhile(lambda value: value.isascii() and value.isdecimal() and len(value) <= 4, values))
    return "-".join([part.zfill(2 if position else 4) for position, part in enumerate(parts)]) or values[0]


def _values(node: Template) -> list[str]:
    """Return what stands in the numbered places of a template."""
    numbered = {
        int(name): _shown(parameter.value).strip()
        for parameter in node.params
        if (name := str(parameter.name).strip()).isascii() and name.isdecimal() and len(name) <= 3
    }
    return [numbered[place] for place in sorted(numbered)]
