"""Questions in PAQ's form: lower case, single spaces, no question mark at the end, Unicode form NFC.

`paq_form` says what that is for one question. `paq_forms` gives the same for the questions of a whole batch that stand
in one text: one look at the text tells which of the steps any of them needs, and mostly it is only the lower case.
"""

import re
import unicodedata

_ODD_SPACE = re.compile(r"[^\S ]|  ")


def paq_form(question: str) -> str:
    """Write one question as PAQ does.

    >>> paq_form("Who sings  Bad? ")
    'who sings bad'
    """
    return unicodedata.normalize("NFC", " ".join(question.split()).strip("?").lower().strip())


def paq_forms(text: str, end: str) -> list[str]:
    """Split a text behind every `end`, a control character, and write each piece as PAQ does."""
    if not text.isascii() and not unicodedata.is_normalized("NFC", text.lower()):
        return [paq_form(question) for question in text.split(end)[:-1]]
    # To a letter at the border of two questions, the control character is what the border of a text is.
    questions = text.lower().split(end)[:-1]
    if _ODD_SPACE.search(text) or "?" in text:
        return [" ".join(question.split()).strip("?").strip() for question in questions]
    return [question.strip() for question in questions]
