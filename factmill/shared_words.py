"""How much of a question's words another question shares: BM25, as a share of what the question would give itself.

BM25 usually counts its words in the corpus that is searched. Here they were counted once, in the file beside this
module, so that a pair's score does not depend on which shards there are. All sums are of whole numbers, so it does not
depend on what else is compared either.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from factmill.encoders import encoded_text

_K1, _B = 1.2, 0.75
_USUAL_LENGTH = 8.0
_STEPS = 1 << 10
_WORD = re.compile(r"\w+")

Numbers = npt.NDArray[np.int64]


class QuestionWords:
    """The words of questions, ready to be compared with texts.

    >>> asked = QuestionWords(["who wrote dune"])
    >>> texts = ["who wrote dune messiah", "who sang dune", "how old is adele"]
    >>> asked.shares(texts, np.array([0, 0, 0]), np.array([0, 1, 2])).round(2).tolist()
    [0.94, 0.76, 0.0]
    """

    def __init__(self, questions: Sequence[str]) -> None:
        asked = list(map(_words, questions))
        self._numbers = {word: number for number, word in enumerate(sorted(set().union(*asked)))}
        self._weights = self._matrix([{word: word_weight(word) for word in words} for words in asked])
        of_themselves = self._weights.multiply(self._matrix(list(map(_saturated, asked))))
        self._most: Numbers = np.maximum(of_themselves.sum(axis=1), 1)

    def shares(self, texts: Sequence[str], which_question: Numbers, which_text: Numbers) -> npt.NDArray[np.float64]:
        """Return for each pair of a question and a text how much they share, from 0 to 1."""
        held = self._matrix([_saturated(_words(text)) for text in texts])
        found: Numbers = self._weights[which_question].multiply(held[which_text]).sum(axis=1)
        shares: npt.NDArray[np.float64] = np.minimum(found / self._most[which_question], 1.0)
        return shares

    def _matrix(self, rows: Sequence[dict[str, float]]) -> "csr_array[np.int64]":
        """Return a row for each of these and a column for each word of the questions."""
        known = [[(self._numbers[word], value) for word, value in row.items() if word in self._numbers] for row in rows]
        ends = np.cumsum([0, *map(len, known)])
        columns = np.array([number for row in known for number, _ in row], np.int64)
        values = np.array([round(value * _STEPS) for row in known for _, value in row], np.int64)
        return csr_array((values, columns, ends), shape=(len(rows), max(1, len(self._numbers))))


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(encoded_text(text)))


def _saturated(words: Counter[str]) -> dict[str, float]:
    """Return BM25's weight of each word in a text: the more often, the longer the text."""
    length = 1 - _B + _B * words.total() / _USUAL_LENGTH
    return {word: n * (_K1 + 1) / (n + _K1 * length) for word, n in words.items()}


def word_weight(word: str) -> float:
    """Return BM25's weight of a word: the rarer, the more."""
    n_questions, counts = _counted()
    n = counts.get(word, 0)
    return math.log(1 + (n_questions - n + 0.5) / (n + 0.5))


@cache
def _counted() -> tuple[int, dict[str, int]]:
    """Read in how many of how many questions each common word stands."""
    first, *lines = files("factmill").joinpath("word_counts.tsv").read_text(encoding="utf-8").splitlines()
    return int(first), {word: int(n) for word, _, n in (line.partition("\t") for line in lines)}
