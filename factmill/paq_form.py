"""Questions in PAQ's form: lower case, single spaces, no question mark at the end, Unicode form NFC.

`paq_form` says what that is for one question. `paq_forms` gives the same for the questions of a whole batch that stand
in one text: one look at the text tells which of the steps any of them needs, and mostly it is only the lower case.
"""

import re
import unicodedata

_ODD_SPACE = re.compile(r"[^\S ]")
_ODD_ASCII_SPACES = [character for character in map(chr, range(32)) if character.isspace()]


def paq_form(question: str) -> str:
    """Write one question as PAQ does.

    >>> paq_form("Who sings  Bad? ")
    'who sings bad'
    """
    return unicodedata.normalize("NFC", " ".join(question.split()).strip("?").lower().strip())


def paq_forms(text: str, end: str) -> list[str]:
    """Split a text behind every `end`, a control character, and write each piece as PAQ does."""
    # To a letter at the border of two questions, the control character is what the border of a text is.
    lowered = text.lower()
    is_ascii = text.isascii()
    if not is_ascii and not unicodedata.is_normalized("NFC", lowered):
        return [paq_form(question) for question in text.split(end)[:-1]]
    questions = lowered.split(end)[:-1]
    if "?" in text or "  " in text or _has_odd_space(text, is_ascii):
        return [" ".join(question.split()).strip("?").strip() for question in questions]
    if text.startswith(" ") or f" {end}" in text or f"{end} " in text:
        return [question.strip() for question in questions]
    return questions


def _has_odd_space(text: str, is_ascii: bool) -> bool:
    # Looking for one character after the other is ten times as fast as a pattern.
    return any(space in text for space in _ODD_ASCII_SPACES) or (not is_ascii and bool(_ODD_SPACE.search(text)))
