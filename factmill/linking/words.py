"""Text as the linker compares it: words without case, accents, punctuation and apostrophes.

Its one surprise: an apostrophe joins what stands around it, so "adele's" is the word "adeles". A name at the end of
which an "s" is left over is found too, which is how possessives and plurals are read.

>>> words_of("Who wrote Schindler's List, Æthel & Zoë?")
['who', 'wrote', 'schindlers', 'list', 'aethel', 'and', 'zoe']
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

from factmill.shared_words import word_weight

MAX_CHARACTERS = 2_000
"""Of a longer question only the beginning is read."""
MAX_NAME_CHARACTERS = 300
RARITY_STEPS = 100
ASKING_WORDS = ("who", "where", "when")
"""Weak words that tell what is asked for."""

_SPELLED = {"&": " and ", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
_APOSTROPHES = "'’‘`´ʻʼʿʾ"
_WEAK_WORDS = """
    a about after all also am an and any are as at away be been before being but by can could did do does doing done
    down each every few for from get go got had has have having he her here hers him his how i if in into is it its
    just made make many may me might more most much must my name no nor not of off on one or other our out over own
    same say she should so some such than that the their them then there these they this those through to too under
    until up us very was we were what whats when where which while who whom whos whose why will with would yes you
    your
"""
_STOP_WORDS = frozenset(_WEAK_WORDS.split())
_ODD_ASCII = "'`&"
"""Characters of ASCII that do not become one other."""
_ENDINGS = ("ings", "ing", "ies", "ers", "ors", "ions", "ion", "er", "or", "ed", "es", "s", "e", "y")
_LEAST_STEM = 4


class _Folding(dict[int, str]):
    """What each character becomes, worked out when it is met first."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in _APOSTROPHES:
            folded = ""
        else:
            spelled = _SPELLED.get(character.casefold(), character)
            plain = unicodedata.normalize("NFKD", spelled).casefold()
            marks = (part for part in plain if not unicodedata.category(part).startswith("M"))
            folded = "".join(part if part.isalnum() else " " for part in marks)
        self[code] = folded
        return folded


_FOLDING = _Folding()


def folded(text: str) -> str:
    """Return a text in which everything but letters and digits is a space or gone."""
    return text.translate(_FOLDING)


def words_of(text: str) -> list[str]:
    """Return the words of a text."""
    return folded(text).split()


def offsets(text: str) -> Sequence[int]:
    """Return for each character of the folded text where it stands in the text itself.

    >>> text = "who is  Zoë's dad"
    >>> folded(text)[8:12], [text[place] for place in offsets(text)[8:12]]
    ('zoes', ['Z', 'o', 'ë', 's'])
    """
    if text.isascii() and not any(odd in text for odd in _ODD_ASCII):
        return range(len(text))
    return [place for place, character in enumerate(text) for _ in _FOLDING[ord(character)]]


@lru_cache(maxsize=1 << 18)
def stem(word: str) -> str:
    """Return a word without a common ending, so that forms of one verb are alike.

    >>> [stem(word) for word in ("directed", "director", "directs", "country", "county")]
    ['direct', 'direct', 'direct', 'countr', 'count']
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=1 << 18)
def stem_number(word: str) -> int:
    """Return a number for a word's stem; that two stems share one is possible and does little."""
    return crc32(stem(word).encode("utf-8", "surrogatepass")) >> 1


@lru_cache(maxsize=1 << 18)
def rarity(word: str) -> int:
    """Return how much a word tells, in whole steps: nothing for the words of which questions are made."""
    return 0 if is_weak(word) else max(0, round(word_weight(word) * RARITY_STEPS))


@lru_cache(maxsize=1 << 18)
def is_weak(word: str) -> bool:
    """Tell whether a word by itself can be no name: a stop word, one letter or a number."""
    return len(word) < 2 or word in _STOP_WORDS or word.isdigit()
