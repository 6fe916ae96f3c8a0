"""Mistakes of an evaluation, and what kind of mistake each seems to be.

A kind is suggested only where something tells; `why` says what. Whether a gold label is wrong nothing here can tell.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from factmill.names import ShardName
from factmill.paq_form import paq_form
from factmill.scoring.exact import exact_match, normalise_answer


class Category(StrEnum):
    """What went wrong."""

    UNSTRUCTURED = "coverage: unstructured"
    """No pair asks this, and no staged fact answers it."""
    STRUCTURED = "coverage: structured"
    """No pair asks this, but a staged fact answers it."""
    WRONG_PAIR = "wrong pair"
    """A pair asks this and its answer is wrong."""
    AMBIGUOUS = "ambiguous"
    """There are several right answers."""
    GOLD_LABEL = "gold label"
    """What was retrieved is right and the gold answer is not."""
    FORM = "form"
    """The same name or amount, written otherwise."""
    GRANULARITY = "granularity"
    """The same date or place, more or less exact."""


@dataclass(frozen=True)
class RetrievedPair:
    """A question of the corpus that was found, and its answer."""

    question: str
    answer: str
    score: float | None = None
    n_answers: int = 1
    """How many different answers the pair has, other ways to write one not counted."""


@dataclass(frozen=True)
class Mistake:
    """A question that was answered wrongly, and what its evaluation knows about it; None is "nobody looked"."""

    question: str
    gold: tuple[str, ...]
    retrieved: tuple[RetrievedPair, ...]
    """Best first."""
    part: Literal["name", "amount", "date"] | None = None
    """The part of EM_norm by which one of the first five is right after all."""
    is_gold_in_corpus: bool | None = None
    """Whether a gold answer is an answer of any pair."""
    fact: ShardName | None = None
    """The predicate of a staged fact that answers the question."""
    was_fact_looked_for: bool = False


class Suggestion(NamedTuple):
    """A category, where something tells, and what that is."""

    category: Category | None
    why: str


_PARTS = {"name": Category.FORM, "amount": Category.FORM, "date": Category.GRANULARITY}
N_RETRIEVED = 5


def suggest(mistake: Mistake) -> Suggestion:
    """Return what kind of mistake this seems to be, by the first evidence that tells."""
    evidence: tuple[Callable[[Mistake], Suggestion | None], ...] = (_by_part, _by_same_question, _by_coverage)
    return next((found for look in evidence if (found := look(mistake))), Suggestion(None, ""))


def _by_part(mistake: Mistake) -> Suggestion | None:
    if mistake.part is None:
        return None
    return Suggestion(_PARTS[mistake.part], f"EM_norm accepts an answer by its {mistake.part}")


def _by_same_question(mistake: Mistake) -> Suggestion | None:
    """Look at pairs among the first that ask the very question."""
    asked = paq_form(mistake.question)
    same = [pair for pair in mistake.retrieved[:N_RETRIEVED] if paq_form(pair.question) == asked]
    if not same or any(exact_match(pair.answer, mistake.gold) for pair in same):
        return None
    n_answers = max(len({normalise_answer(pair.answer) for pair in same}), *(pair.n_answers for pair in same))
    if n_answers > 1:
        return Suggestion(Category.AMBIGUOUS, f"the same question is in the corpus with {n_answers} answers")
    return Suggestion(Category.WRONG_PAIR, f"the same question is in the corpus with another answer: {same[0].answer}")


def _by_coverage(mistake: Mistake) -> Suggestion | None:
    if mistake.fact is not None:
        return Suggestion(Category.STRUCTURED, f"a staged fact answers it: {mistake.fact}")
    if mistake.is_gold_in_corpus is not False:
        return None
    if mistake.was_fact_looked_for:
        return Suggestion(Category.UNSTRUCTURED, "no pair has a gold answer, and no staged fact answers it")
    return Suggestion(None, "no pair has a gold answer; nobody looked for a staged fact")
