"""Which entity an answer is: those that are called so, judged by the question and by facts that connect them to it."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from factmill.linking.asked_words import AskedWords
from factmill.linking.candidates import Candidates
from factmill.linking.choice import Choice
from factmill.linking.context import clue_hits
from factmill.linking.found import Found
from factmill.linking.hashes import hashes
from factmill.linking.known import Known
from factmill.linking.names import IS_ALIAS, IS_COMMON, IS_SHORTENED, MOST_OF_A_NAME
from factmill.linking.rows import spread
from factmill.linking.words import MAX_NAME_CHARACTERS, words_of

ANSWER_FEATURES = (
    "popularity",
    "best known of the name",
    "share of the name",
    "is common noun",
    "is alias",
    "is shortened",
    "connected to the subject",
    "connected to another",
    "described in the question",
)

_MOST_SUBJECTS = 8

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Entities = npt.NDArray[np.int32]


def answer_candidates(words: AskedWords, known: Known, subjects: Choice, answers: Sequence[str]) -> Candidates:
    """Return the entities that each question's answer may be; `subjects` is what the questions are about."""
    named, name = _named(known, answers)
    starts = known.names.bounds[name]
    ends = np.minimum(known.names.bounds[name + 1], starts + MOST_OF_A_NAME)
    found, places = spread(starts, ends)
    question, entity, flags = named[found], known.names.entities[places], known.names.flags[places]
    popularity = known.popularity[entity]
    of_name = np.bincount(found, popularity + 1, len(named))
    best, other = _connections(known, subjects, question, entity, len(answers))
    described = np.zeros(len(entity), bool)
    described[clue_hits(words, known, question, entity)[1]] = True
    columns = [
        np.log1p(popularity),
        places == starts[found],
        (popularity + 1) / of_name[found],
        (flags & IS_COMMON) != 0,
        (flags & IS_ALIAS) != 0,
        (flags & IS_SHORTENED) != 0,
        best,
        other,
        described,
    ]
    features = np.stack([np.asarray(column, np.float64) for column in columns], axis=1)
    nothing = np.zeros(len(named), np.int64)
    pieces = Found(named, nothing, nothing, name, nothing == 1, nothing == 1)
    return Candidates(question, entity, found, pieces, features, np.ones((len(answers), 1)))


def _named(known: Known, answers: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Return which answers are names, and of which place among the keys."""
    texts = [" ".join(words_of(answer[:MAX_NAME_CHARACTERS])) for answer in answers]
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    places = known.names.find(hashes("".join(texts), starts, ends))
    named = np.flatnonzero((places >= 0) & (ends > starts))
    return named, places[named]


def _connections(
    known: Known, subjects: Choice, question: Numbers, entity: Entities, n_questions: int
) -> tuple[Floats, Floats]:
    """Tell whether a fact connects each entity to the likeliest subject, and how likely the best other one is."""
    bounds = np.searchsorted(subjects.question, np.arange(n_questions + 1))
    which, places = spread(bounds[question], np.minimum(bounds[question + 1], bounds[question] + _MOST_SUBJECTS))
    subject = subjects.entity[places]
    connected = known.are_neighbours(entity[which], subject) & (entity[which] != subject)
    is_best = places == bounds[question][which]
    best, other = np.zeros(len(entity)), np.zeros(len(entity))
    best[which[connected & is_best]] = 1
    np.maximum.at(other, which[connected & ~is_best], np.sqrt(subjects.share[places][connected & ~is_best]))
    return best, other
