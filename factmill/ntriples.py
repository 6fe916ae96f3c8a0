"""One line of N-Triples, taken apart.

The grammar is the W3C's. What a line means is decided elsewhere; a line that does not fit the grammar is None.
"""

import re
from typing import NamedTuple

_IRI = r'<((?:[^\x00-\x20<>"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*)>'
_BLANK = r"(_:[A-Za-z0-9_\u00b7-\U000effff][A-Za-z0-9_.\u00b7-\U000effff-]*)"
_LITERAL = (
    r'"((?:[^"\\\n\r]|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*)"'
    rf"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^{_IRI})?"
)
_TRIPLE = re.compile(
    rf"[ \t]*(?:{_IRI}|{_BLANK})[ \t]*{_IRI}[ \t]*(?:{_IRI}|{_BLANK}|{_LITERAL})[ \t]*\.[ \t]*(?:#.*)?"
)
_COMMENT = re.compile(r"[ \t]*(?:#.*)?")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


class Triple(NamedTuple):
    """A triple whose object is an IRI, a blank node or a literal; the two parts that do not apply are None."""

    subject: str
    predicate: str
    iri: str | None
    literal: str | None
    lang: str | None
    datatype: str | None


def is_blank_or_comment(line: str) -> bool:
    """Tell whether the line says nothing."""
    return _COMMENT.fullmatch(line) is not None


def parse_triple(line: str) -> Triple | None:
    r"""Take one line apart; blank nodes keep their `_:`.

    >>> parse_triple('<s> <p> "caf\\u00E9"@en .')
    Triple(subject='s', predicate='p', iri=None, literal='café', lang='en', datatype=None)
    """
    match = _TRIPLE.fullmatch(line)
    if match is None:
        return None
    subject, blank_subject, predicate, iri, blank, literal, lang, datatype = match.groups()
    try:
        return Triple(
            _unescape(subject) if subject is not None else blank_subject,
            _unescape(predicate),
            _unescape(iri) if iri is not None else blank,
            _unescape(literal) if literal is not None else None,
            lang.lower() if lang else None,
            _unescape(datatype) if datatype else None,
        )
    except ValueError:
        # An escape of something that is no character, such as half of a surrogate pair.
        return None


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    if code is None:
        return _ESCAPED.get(escape[3], escape[3])
    number = int(code, 16)
    if 0xD800 <= number <= 0xDFFF:
        raise ValueError("a surrogate is not a character")
    return chr(number)
