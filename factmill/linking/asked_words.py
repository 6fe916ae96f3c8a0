"""Questions of a batch as arrays: one row a word, with where it stands and what it tells.

Their one surprise: all questions stand in one text, words a space apart, so that one pass hashes every piece of each.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.linking.words import MAX_CHARACTERS, folded, is_weak, offsets, rarity, stem_number

MOST_WORDS = 100
_QUOTES = ('"', "“", "'", "‘")
_WORD = re.compile(r"\S+")

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class AskedWords:
    """The words of some questions; each array has a row a word unless it says otherwise."""

    text: str
    """Words of all questions."""
    starts: Numbers
    """Places in that text."""
    ends: Numbers
    question: Numbers
    bounds: Numbers
    """Of the words of each question."""
    stems: Numbers
    rarities: Numbers
    are_weak: Flags
    places: list[tuple[int, int]]
    """Where each word stands in its question."""
    cases: Numbers
    """1 for a word with a capital, -1 for one without, 0 where the question has no case to tell them by."""
    are_capitals: Flags
    """Whether all its letters are."""
    are_quoted: Flags
    """Whether a quotation mark stands before the word."""
    are_numbers: Flags

    def __len__(self) -> int:
        return len(self.starts)


def read_words(questions: Sequence[str]) -> AskedWords:
    """Return the words of the beginning of each question."""
    words: list[str] = []
    places: list[tuple[int, int]] = []
    counts: list[int] = []
    cases: list[int] = []
    capitals: list[bool] = []
    quoted: list[bool] = []
    for question in questions:
        text = question[:MAX_CHARACTERS]
        plain, origin = folded(text), offsets(text)
        found = [match.span() for match in _WORD.finditer(plain)][:MOST_WORDS]
        counts.append(len(found))
        words += [plain[start:end] for start, end in found]
        spans = [(origin[start], origin[end - 1] + 1) for start, end in found]
        places += spans
        cases += _cases(text, spans)
        capitals += [text[start:end].isupper() for start, end in spans]
        quoted += [text[start - 1 : start] in _QUOTES for start, _ in spans]
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    ends = np.cumsum(lengths + 1) - 1
    return AskedWords(
        " ".join(words),
        ends - lengths,
        ends,
        np.repeat(np.arange(len(questions)), counts),
        np.cumsum([0, *counts]),
        np.array([stem_number(word) for word in words], np.int64),
        np.array([rarity(word) for word in words], np.int64),
        np.array([is_weak(word) for word in words], bool),
        places,
        np.array(cases, np.int64),
        np.array(capitals, bool),
        np.array(quoted, bool),
        np.array([word.isdigit() for word in words], bool),
    )


def _cases(text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Tell which words begin with a capital; nothing if the question has them nowhere, everywhere or only at first."""
    first = [text[start] for start, _ in spans]
    if text.islower() or text.isupper() or not any(map(str.isupper, first[1:])):
        return [0] * len(spans)
    return [-1 if letter.islower() else 1 for letter in first]
