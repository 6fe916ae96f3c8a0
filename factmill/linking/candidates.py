"""Candidates: the entities that a piece of a question may mean, with what speaks for each, as numbers.

FEATURES names the columns; factmill/linking/weights.py says what each counts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from factmill.linking.asked_words import AskedWords
from factmill.linking.context import clue_hits, role_fits
from factmill.linking.found import Found, find_names
from factmill.linking.known import Known
from factmill.linking.names import IS_ACRONYM, IS_ALIAS, IS_COMMON, IS_SHORTENED, MOST_OF_A_NAME
from factmill.linking.rows import spread
from factmill.linking.words import RARITY_STEPS

FEATURES = (
    "popularity",
    "best known of the name",
    "share of the name",
    "words",
    "covered",
    "rarest word",
    "commonest word",
    "is common noun",
    "is alias",
    "is shortened",
    "is cut",
    "lies inside",
    "capital",
    "no capital",
    "quoted",
    "role",
    "inverse role",
    "clue beside it",
    "starts the question",
    "ends the question",
    "after a weak word",
    "rare word before",
    "rare word after",
    "is of a wording",
    "is an asking word",
)
NIL_FEATURES = ("always", "names found", "rarity left", "best role")

_NEAR = 2

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
AnyColumn = npt.NDArray[Any]


@dataclass(frozen=True)
class Candidates:
    """Entities for pieces of questions, in the order of the questions; each array has a row a candidate."""

    question: Numbers
    entity: npt.NDArray[np.int32]
    found: Numbers
    """The piece, as a row of `pieces`."""
    pieces: Found
    features: Floats
    """A column a feature."""
    nil_features: Floats
    """A row a question."""


def candidates_of(words: AskedWords, known: Known) -> Candidates:
    """Return what the names in some questions may mean."""
    pieces = find_names(words, known.names)
    starts = known.names.bounds[pieces.name]
    ends = np.minimum(known.names.bounds[pieces.name + 1], starts + MOST_OF_A_NAME)
    found, places = spread(starts, ends)
    entity, flags = known.names.entities[places], known.names.flags[places]
    question = pieces.question[found]
    near = _described_beside(words, known, pieces, found, entity)
    popularity = known.popularity[entity]
    of_name = np.bincount(found, popularity + 1, len(starts))
    columns = [
        np.log1p(popularity),
        places == starts[found],
        (popularity + 1) / of_name[found],
        *(column[found] for column in _told_by_words(words, pieces)),
        (flags & IS_COMMON) != 0,
        (flags & IS_ALIAS) != 0,
        (flags & IS_SHORTENED) != 0,
        *(column[found] for column in _told_by_writing(words, pieces)),
        *role_fits(words, known, question, entity),
        near & (flags & IS_COMMON == 0),
        *(column[found] for column in _told_by_place(words, known, pieces)),
        _is_misread(words, flags, pieces.first[found], pieces.last[found]),
    ]
    features = np.stack([np.asarray(column, np.float64) for column in columns], axis=1)
    kept = _may_be_linked(words, pieces, found, near)
    question, entity, found, features = question[kept], entity[kept], found[kept], features[kept]
    return Candidates(
        question, entity, found, pieces, features, _nil_features(question, features, len(words.bounds) - 1)
    )


def _told_by_words(words: AskedWords, pieces: Found) -> list[AnyColumn]:
    """Return of each piece its length, its share of the question's rarity, and its rarest and commonest word."""
    sums = np.concatenate([[0], np.cumsum(words.rarities)])
    told = sums[pieces.last + 1] - sums[pieces.first]
    all_told = np.maximum(1, np.diff(sums[words.bounds]))[pieces.question]
    rarest, commonest = _extremes(words, pieces)
    return [np.minimum(pieces.n_words, 6), told / all_told, rarest / RARITY_STEPS, commonest / RARITY_STEPS]


def _told_by_writing(words: AskedWords, pieces: Found) -> list[AnyColumn]:
    first = pieces.first
    cases = words.cases[first]
    return [pieces.is_cut, pieces.lies_inside, cases == 1, cases == -1, words.are_quoted[first]]


def _told_by_place(words: AskedWords, known: Known, pieces: Found) -> list[AnyColumn]:
    """Return of each piece whether it starts or ends its question, and what the words beside it are."""
    first, last = pieces.first, pieces.last
    starts, ends = first == words.bounds[pieces.question], last == words.bounds[pieces.question + 1] - 1
    explained = np.array([stem in known.asked.words for stem in words.stems.tolist()], bool)
    # A rare word beside a name is mostly a part of a longer name that is not staged.
    rare = np.append(np.where(explained, 0, words.rarities), 0) / RARITY_STEPS
    n_explained = np.concatenate([[0], np.cumsum(explained | words.are_weak)])
    return [
        starts,
        ends,
        words.are_weak[first - 1] & ~starts,
        np.where(starts, 0, rare[first - 1]),
        np.where(ends, 0, rare[last + 1]),
        n_explained[last + 1] - n_explained[first] == pieces.n_words,
    ]


def _is_misread(words: AskedWords, flags: npt.NDArray[np.uint8], first: Numbers, last: Numbers) -> Flags:
    """Tell which names are capitals only, such as IT, and stand as an ordinary word in the question."""
    return np.asarray(
        (flags & IS_ACRONYM != 0) & (first == last) & ~words.are_capitals[first] & (words.rarities[first] == 0)
    )


def _may_be_linked(words: AskedWords, pieces: Found, found: Numbers, near: Flags) -> Flags:
    """Tell which candidates are more than stop words, letters and numbers, or have something else to show.

    That is a quotation mark, a word beside it that describes the entity ("the movie it"), or a capital that does not
    begin the question.
    """
    weak = np.concatenate([[0], np.cumsum(words.are_weak)])
    all_weak = weak[pieces.last + 1] - weak[pieces.first] == pieces.n_words
    is_written_as_name = words.are_quoted | ((words.cases == 1) & (words.ends - words.starts > 1) & ~words.are_numbers)
    begins = words.bounds[:-1][np.diff(words.bounds) > 0]
    is_written_as_name[begins] = words.are_quoted[begins]
    return np.asarray(~all_weak[found] | is_written_as_name[pieces.first[found]] | near)


def _extremes(words: AskedWords, pieces: Found) -> tuple[Numbers, Numbers]:
    if not len(pieces.first):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    which, places = spread(pieces.first, pieces.last + 1)
    starts = np.flatnonzero(np.diff(which, prepend=-1))
    rarities = words.rarities[places]
    return np.maximum.reduceat(rarities, starts), np.minimum.reduceat(rarities, starts)


def _described_beside(
    words: AskedWords, known: Known, pieces: Found, found: Numbers, entity: npt.NDArray[np.int32]
) -> Flags:
    """Tell whether a word beside the piece is among those that describe the entity."""
    first, last = pieces.first[found], pieces.last[found]
    word, candidate = clue_hits(words, known, pieces.question[found], entity)
    # "Who" describes every person, and a name must not be taken for one because of it.
    tells = ~words.are_weak[word] | words.are_numbers[word]
    is_outside = (word < first[candidate]) | (word > last[candidate])
    is_near = (word >= first[candidate] - _NEAR) & (word <= last[candidate] + _NEAR)
    beside = np.zeros(len(entity), bool)
    beside[candidate[tells & is_outside & is_near]] = True
    return beside


def _nil_features(question: Numbers, features: Floats, n_questions: int) -> Floats:
    best = np.zeros((2, n_questions))
    for row, name in enumerate(("covered", "role")):
        np.maximum.at(best[row], question, features[:, FEATURES.index(name)])
    counts = np.bincount(question, minlength=n_questions)
    return np.stack([np.ones(n_questions), np.log1p(counts), 1 - best[0], best[1]], axis=1)
