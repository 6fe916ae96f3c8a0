"""Partial credit for an answer: shared words (token F1, as SQuAD and KILT count it) and ROUGE-L (as KILT counts it).

Token F1 is of normalised answers, ROUGE-L of the answers as they stand. A perfect ROUGE-L is 0.999999995, because the
package `rouge` adds a hundred-millionth to what it divides by.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache

from rouge import Rouge

from factmill.scoring.exact import normalise_answer

_SPARE_CALLS = 100


def token_f1(prediction: str, gold: Iterable[str]) -> float:
    """Return the F1 of the words of a prediction and of the gold answer that it is nearest to.

    >>> round(token_f1("the Fab Four of Liverpool", ["The Beatles", "Fab Four"]), 3)
    0.667
    >>> token_f1("The", ["A"])
    0.0
    """
    words = Counter(normalise_answer(prediction).split())
    return max((_f1(words, Counter(normalise_answer(answer).split())) for answer in gold), default=0.0)


def rouge_l(prediction: str, gold: Iterable[str]) -> float:
    """Return the ROUGE-L F-measure of a prediction and of the gold answer that it is nearest to.

    >>> rouge_l("it was suicide", ["suicide"])
    0.4999999962500001
    """
    return max((_rouge_l(prediction, answer) for answer in gold), default=0.0)


def _f1(words: Counter[str], gold: Counter[str]) -> float:
    n_shared = (words & gold).total()
    if not n_shared:
        return 0.0
    precision, recall = n_shared / words.total(), n_shared / gold.total()
    return 2 * precision * recall / (precision + recall)


def _rouge_l(prediction: str, answer: str) -> float:
    n_words = len(prediction.split()) + len(answer.split())
    try:
        with _deep_enough(n_words):
            (scores,) = _rouge().get_scores(prediction, answer)
    except ValueError:  # The package refuses a text of nothing but full stops.
        return 0.0
    return float(scores["rouge-l"]["f"])


@contextmanager
def _deep_enough(n_calls: int) -> Iterator[None]:
    """Let the package call itself once a word, which is more often than Python allows for a text of some pages."""
    limit = sys.getrecursionlimit()
    if n_calls + _SPARE_CALLS < limit // 2:
        yield
        return
    sys.setrecursionlimit(limit + n_calls + _SPARE_CALLS)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


@cache
def _rouge() -> Rouge:
    return Rouge(metrics=["rouge-l"])
