"""Names that stand in questions: every piece of a question, up to twelve words, that is the name of an entity."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.linking.asked_words import AskedWords
from factmill.linking.hashes import hashes
from factmill.linking.names import Names
from factmill.linking.rows import spread

MOST_WORDS_OF_A_NAME = 12
_LEAST_WITH_S = 3

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Found:
    """Pieces of questions that are names; each array has a row a piece."""

    question: Numbers
    first: Numbers
    """The first word, as a row of the words."""
    last: Numbers
    name: Numbers
    """A place among the names' keys."""
    is_cut: Flags
    """Whether an "s" was left over at the end: a possessive or a plural."""
    lies_inside: Flags
    """Whether both ends belong to longer names."""

    @property
    def n_words(self) -> Numbers:
        """Return how many words each has."""
        return self.last - self.first + 1


def find_names(words: AskedWords, names: Names) -> Found:
    """Return the names in some questions."""
    ends = words.bounds[words.question + 1] if len(words) else np.empty(0, np.int64)
    first, last = spread(np.arange(len(words)), np.minimum(np.arange(len(words)) + MOST_WORDS_OF_A_NAME, ends))
    starts, stops = words.starts[first], words.ends[last]
    letters = np.frombuffer(words.text.encode("utf-32-le"), np.uint32)
    ends_in_s = (
        (letters[stops - 1] == ord("s")) & (words.ends[last] - words.starts[last] >= _LEAST_WITH_S)
        if len(stops)
        else np.empty(0, bool)
    )
    cut = np.flatnonzero(ends_in_s)
    places = names.find(
        hashes(words.text, np.concatenate([starts, starts[cut]]), np.concatenate([stops, stops[cut] - 1]))
    )
    first, last = np.concatenate([first, first[cut]]), np.concatenate([last, last[cut]])
    is_cut = np.arange(len(first)) >= len(starts)
    there = np.flatnonzero(places >= 0)
    there = there[np.lexsort((is_cut[there], last[there], first[there]))]
    first, last, is_cut, places = first[there], last[there], is_cut[there], places[there]
    return Found(words.question[first], first, last, places, is_cut, _lie_inside(words, first, last))


def _lie_inside(words: AskedWords, first: Numbers, last: Numbers) -> Flags:
    n_words = last - first + 1
    which, covered = spread(first, last + 1)
    longest = np.zeros(len(words), np.int64)
    is_strong = (
        np.maximum.reduceat(words.rarities[covered], np.flatnonzero(np.diff(which, prepend=-1))) > 0
        if len(which)
        else np.empty(0, bool)
    )
    np.maximum.at(longest, covered, (n_words * is_strong)[which])
    return np.asarray((longest[first] > n_words) & (longest[last] > n_words))
