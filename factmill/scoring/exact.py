"""Exact match, as PAQ counts it: only the first answer of a retrieved pair, against every gold answer."""

import re
import string
from collections.abc import Iterable
from functools import lru_cache

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@lru_cache(maxsize=200_000)
def normalise_answer(text: str) -> str:
    """Lower-case an answer and take out ASCII punctuation, articles and extra spaces.

    >>> normalise_answer("The U.S.A.")
    'usa'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(prediction: str, gold: Iterable[str]) -> bool:
    """Tell whether a prediction equals one of the gold answers once both are normalised.

    >>> exact_match("The Beatles", ["Beatles", "Fab Four"])
    True
    """
    normalised = normalise_answer(prediction)
    return any(normalised == normalise_answer(answer) for answer in gold)
