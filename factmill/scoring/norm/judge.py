"""The judge of EM_norm: what is right beside an exact match, and as what a prediction is right."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from factmill.home import Home
from factmill.manifest import staged_sources
from factmill.scoring.exact import normalise_answer
from factmill.scoring.norm.amounts import Amount, asks_how_many, read_amount
from factmill.scoring.norm.dates import Time, asks_when, read_time, without_hedges
from factmill.scoring.norm.names import StagedNames, is_one_of, name_key
from factmill.scoring.norm.signs import SIGNS


class Part(IntEnum):
    """As what an answer is right: the first that applies."""

    WRONG = 0
    EXACT = 1
    NAME = 2
    DATE = 3
    AMOUNT = 4


@dataclass(frozen=True)
class Accepted:
    """What is right for one question."""

    exact: frozenset[str]
    """The gold answers as exact match compares them."""
    names: frozenset[str] = frozenset()
    """Other names, as `name_key` gives them."""
    times: tuple[Time, ...] = ()
    time_texts: frozenset[str] = frozenset()
    """Gold answers to "when" without hedges: "10,000 years ago"."""
    amounts: frozenset[Amount] = frozenset()

    def part_of(self, text: str) -> Part:
        """Tell as what a text is right."""
        if normalise_answer(text) in self.exact:
            return Part.EXACT
        if self.names and is_one_of(text, self.names):
            return Part.NAME
        if self.time_texts and self._is_time(text):
            return Part.DATE
        if self.amounts and read_amount(text) in self.amounts:
            return Part.AMOUNT
        return Part.WRONG

    def _is_time(self, text: str) -> bool:
        if normalise_answer(without_hedges(text)) in self.time_texts:
            return True
        time = read_time(text) if self.times else None
        return time is not None and any(gold.holds(time) for gold in self.times)


class Judge:
    """Knows the names of the staged sources."""

    def __init__(self, sources: Sequence[StagedNames] = ()) -> None:
        self._sources = sources

    @property
    def has_names(self) -> bool:
        """Tell whether names can be accepted, for which something must be staged."""
        return bool(self._sources)

    def accepted(self, questions: Sequence[str], gold: Sequence[Sequence[str]]) -> list[Accepted]:
        """Return for each question with its gold answers what is right."""
        pairs = list(zip(questions, gold, strict=True))
        names: list[set[str]] = [set() for _ in pairs]
        for source in self._sources:
            for all_of, found in zip(names, source.of_answers(questions, gold), strict=True):
                all_of.update(map(name_key, found))
        return [_accepted(*pair, found) for pair, found in zip(pairs, names, strict=True)]

    def mark(self, accepted: Sequence[Accepted], predictions: Sequence[Sequence[str]]) -> npt.NDArray[np.int8]:
        """Return the part of each prediction, a row a question and a column a rank; where there is none it is wrong."""
        parts = np.zeros((len(predictions), max(map(len, predictions), default=0)), np.int8)
        for row, (right, answers) in enumerate(zip(accepted, predictions, strict=True)):
            parts[row, : len(answers)] = [right.part_of(answer) for answer in answers]
        return parts


def open_judge(home: Home | None = None) -> Judge:
    """Open the judge with the names of all that is staged; without a home it knows dates and amounts only."""
    if home is None:
        return Judge()
    return Judge([StagedNames(home, source) for source in staged_sources(home) if source in SIGNS])


def _accepted(question: str, gold: Sequence[str], names: set[str]) -> Accepted:
    exact = frozenset(map(normalise_answer, gold))
    times = [read_time(answer) for answer in gold] if asks_when(question) else []
    texts = [normalise_answer(without_hedges(answer)) for answer in gold] if asks_when(question) else []
    amounts = [read_amount(answer) for answer in gold] if asks_how_many(question) else []
    return Accepted(
        exact,
        frozenset(names - {""}),
        tuple(time for time in times if time and not time.is_part),
        frozenset(texts) - {""},
        frozenset(amount for amount in amounts if amount),
    )
