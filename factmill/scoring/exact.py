"""Exact match, as PAQ counts it: only the first answer of a retrieved pair, against every gold answer."""

import re
import string
from collections.abc import Iterable
from functools import lru_cache

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ARTICLE_WORDS = frozenset({"a", "an", "the"})
_ASCII_LOWER = bytes(range(256)).lower()
_ASCII_PUNCTUATION = string.punctuation.encode()


@lru_cache(maxsize=200_000)
def normalise_answer(text: str) -> str:
    """Lower-case an answer and take out ASCII punctuation, articles and extra spaces.

    >>> normalise_answer("The U.S.A.")
    'usa'
    """
    if not (text.isascii() and text.isprintable()):
        return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())
    # What is left of such a text is letters, digits and spaces, so articles are words. Twice as fast.
    words = text.encode().translate(_ASCII_LOWER, _ASCII_PUNCTUATION).decode().split()
    if _ARTICLE_WORDS.isdisjoint(words):
        return " ".join(words)
    return " ".join([word for word in words if word not in _ARTICLE_WORDS])


def exact_match(prediction: str, gold: Iterable[str]) -> bool:
    """Tell whether a prediction equals one of the gold answers once both are normalised.

    >>> exact_match("The Beatles", ["Beatles", "Fab Four"])
    True
    """
    normalised = normalise_answer(prediction)
    return any(normalised == normalise_answer(answer) for answer in gold)
