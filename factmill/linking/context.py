"""What the rest of a question says for an entity: words that describe it, and what could be asked about it."""

import numpy as np
import numpy.typing as npt

from factmill.linking.asked_words import AskedWords
from factmill.linking.known import Known
from factmill.linking.rows import spread

_STEM_BITS = 32

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Entities = npt.NDArray[np.int32]


def role_fits(words: AskedWords, known: Known, question: Numbers, entity: Entities) -> tuple[Floats, Floats]:
    """Return how well the best role of each entity fits its question, forwards and inverse.

    It is a share of what the role gets that fits the question best, whoever has it.
    """
    fits = known.asked.fit(words.stems, words.question, len(words.bounds) - 1)
    shares = fits / np.maximum(1, fits.max(axis=1, keepdims=True))
    which, roles = known.roles.spread(entity)
    values, inverse = shares[question[which], roles], known.asked.is_inverse[roles]
    forwards, backwards = np.zeros(len(entity)), np.zeros(len(entity))
    np.maximum.at(forwards, which[~inverse], values[~inverse])
    np.maximum.at(backwards, which[inverse], values[inverse])
    return forwards, backwards


def clue_hits(words: AskedWords, known: Known, question: Numbers, entity: Entities) -> tuple[Numbers, Numbers]:
    """Return words of each question that describe its entity: rows of the words, and for each the row of the entity."""
    which, stems = known.clues.spread(entity)
    keys = words.question << _STEM_BITS | words.stems
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    wanted = question[which] << _STEM_BITS | stems.astype(np.int64)
    lows = np.searchsorted(keys, wanted, "left")
    # Most words of a description stand nowhere in the question.
    there = np.flatnonzero(keys[np.minimum(lows, len(keys) - 1)] == wanted) if len(keys) else np.empty(0, np.int64)
    hit, places = spread(lows[there], np.searchsorted(keys, wanted[there], "right"))
    return order[places], which[there][hit]
