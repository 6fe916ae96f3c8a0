"""The first sentence of an English abstract, as a description of its subject.

Made for how articles begin: "Robert J. Smith Jr. (born May 3, 1990) is …". Only a full stop ends a sentence, because
there "!" and "?" stand in titles far more often. Where it is in doubt the sentence goes on: one too long is better than
half a name.

>>> first_sentence("Sgt. Pepper ( ; b. 3 May 1996) is from St. Louis in the U.S. He sings.")
'Sgt. Pepper (b. 3 May 1996) is from St. Louis in the U.S.'
"""

import re

MAX_CHARACTERS = 2_000
_MAX_NESTING = 5
_BRACKETS = re.compile(r"\([^()\[\]]*\)|\[[^()\[\]]*\]")
_QUOTED = re.compile(r'"[^"]{2,150}"|“[^”]{2,150}”')
_HIDDEN = str.maketrans(".()[]", "_____")
_STOP = re.compile(r"""(?<!\.)\.["'”’»]*(?= ["'“‘«]?[^\Wa-z]|\Z)""")
_NEVER_LAST = re.compile(
    "Adm|Brig|Capt|Cmdr|Col|Dr|Fr|Ft|Gen|Gov|Hon|Lt|Maj|Mr|Mrs|Ms|Mt|Nos?|Op|Prof|Pvt|Rep|Rev|Sen|Sgt|Ste?|Vols?|"
    r"b|c|ca|cf|d|e\.g|eds?|est|feat|fl|ft|i\.e|lit|nos?|op|pp?|r|v|vols?|vs"
)
_SELDOM_LAST = re.compile(
    r"(?:[^\W_]{1,3}\.)+[^\W_]{1,3}|Inc|Jr|Sr|Co|Corp|Ltd|Bros|Esq|al|approx|etc|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_OPENERS = "After|Although|During|Her|His|However|It|Its|She|Since|The|Their|There|These|They|This|When|While"
_OPENS = re.compile(rf' ["“]?(?:{_OPENERS})[ ,]')
# These could be names after an initial.
_OPENS_TOO = re.compile(rf' ["“]?(?:{_OPENERS}|A|An|As|At|By|For|From|He|In|On|With)[ ,]')
_LEFT_OVER = re.compile(r"(?<=[(\[])[ ;,:]+|[ ;,:]+(?=[)\]])| +(?=,)")
_EMPTY = re.compile(r" *(?:\(\)|\[\])")


def first_sentence(abstract: str) -> str | None:
    """Return the first sentence; None where none ends, as in an abstract that was cut off.

    >>> first_sentence("Pi is a number of about 3.14. It is") == first_sentence("Pi is a number of about 3.14.")
    True
    >>> first_sentence("Pi is a number of about 3.14 and") is None
    True
    """
    text = " ".join(abstract[:MAX_CHARACTERS].split())
    shown = _hide(text)
    for stop in _STOP.finditer(shown):
        if stop.end() == len(shown) and len(abstract) > MAX_CHARACTERS:
            return None
        if _ends(shown, stop.start(), stop.end()):
            # A bracket that nobody closes may hold the stop that we found.
            return None if re.search(r"[(\[]", shown[: stop.end()]) else _tidy(text[: stop.end()])
    return None


def _hide(text: str) -> str:
    """Blot out the stops in brackets and quotations, but for the one that a quotation ends with."""
    for _ in range(_MAX_NESTING):
        text, n_found = _BRACKETS.subn(lambda match: match[0].translate(_HIDDEN), text)
        if not n_found:
            break
    return _QUOTED.sub(lambda match: match[0][:-2].replace(".", "_") + match[0][-2:], text)


def _ends(text: str, start: int, end: int) -> bool:
    """Tell whether a full stop ends a sentence and not an abbreviation or an initial."""
    word = text[text.rfind(" ", 0, start) + 1 : start].lstrip("\"'“‘«(")
    if _NEVER_LAST.fullmatch(word):
        return False
    if len(word) == 1 and word.isupper():
        return _OPENS.match(text, end) is not None
    if _SELDOM_LAST.fullmatch(word):
        return end == len(text) or _OPENS_TOO.match(text, end) is not None
    return bool(word)


def _tidy(sentence: str) -> str:
    """Take out what DBpedia leaves of brackets whose content it could not read."""
    return " ".join(_EMPTY.sub("", _LEFT_OVER.sub("", sentence)).split())
