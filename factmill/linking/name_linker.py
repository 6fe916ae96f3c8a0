"""The default linker: names in a question, what speaks for each entity that has them, and the choice.

Questions are linked in batches of a fixed size, side by side in threads; a link does not depend on its batch.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from factmill.linker import Mention
from factmill.linking.answers import ANSWER_FEATURES, answer_candidates
from factmill.linking.asked_words import AskedWords, read_words
from factmill.linking.candidates import FEATURES, NIL_FEATURES, Candidates, candidates_of
from factmill.linking.choice import Choice, choose
from factmill.linking.known import Known
from factmill.linking.weights import ANSWER_NIL, ANSWER_WEIGHTS, NIL_WEIGHTS, WEIGHTS
from factmill.settings import settings

_QUESTIONS_A_BATCH = 256
_SHARE_DIGITS = 6

T = TypeVar("T")
U = TypeVar("U")


class NameLinker:
    """Links by the labels and aliases of a staged source."""

    def __init__(self, known: Known, threshold: float, most: int = 10) -> None:
        self._known = known
        self._threshold = threshold
        self._most = most
        self._weights = tuple(WEIGHTS[name] for name in FEATURES)
        self._nil_weights = tuple(NIL_WEIGHTS[name] for name in NIL_FEATURES)
        self._answer_weights = tuple(ANSWER_WEIGHTS[name] for name in ANSWER_FEATURES)

    def link(self, questions: Sequence[str]) -> list[list[Mention]]:
        """Return for each question the entities that it may be about, best first, down to the threshold."""
        return self._in_batches(self._link, questions)

    def link_answers(self, questions: Sequence[str], answers: Sequence[str]) -> list[Mention | None]:
        """Return for each question with its answer the entity that the answer is, if one is likely enough."""
        if len(questions) != len(answers):
            raise ValueError(f"{len(questions):,} questions go with as many answers, not with {len(answers):,}")
        return self._in_batches(self._link_answers, list(zip(questions, answers, strict=True)))

    def _in_batches(self, work: Callable[[Sequence[T]], list[U]], items: Sequence[T]) -> list[U]:
        batches = [items[start : start + _QUESTIONS_A_BATCH] for start in range(0, len(items), _QUESTIONS_A_BATCH)]
        with ThreadPoolExecutor(settings().n_threads) as pool:
            return [one for batch in pool.map(work, batches) for one in batch]

    def _link(self, questions: Sequence[str]) -> list[list[Mention]]:
        words = read_words(questions)
        candidates, choice = self._choose(words)
        linked: list[list[Mention]] = [[] for _ in questions]
        for question, entity, share, candidate in _rows(choice):
            mentions = linked[question]
            if share < self._threshold or len(mentions) == self._most:
                continue
            start, end = _span(questions[question], words, candidates, candidate)
            mentions.append(self._mention(questions[question], start, end, entity, share))
        return linked

    def _link_answers(self, pairs: Sequence[tuple[str, str]]) -> list[Mention | None]:
        questions, answers = zip(*pairs, strict=True)
        words = read_words(questions)
        _, subjects = self._choose(words)
        candidates = answer_candidates(words, self._known, subjects, answers)
        choice = choose(candidates, self._answer_weights, (ANSWER_NIL,))
        linked: list[Mention | None] = [None] * len(pairs)
        for question, entity, share, _ in _rows(choice):
            if linked[question] is None and share >= self._threshold:
                answer = answers[question]
                linked[question] = self._mention(answer, 0, len(answer), entity, share)
        return linked

    def _choose(self, words: AskedWords) -> tuple[Candidates, Choice]:
        candidates = candidates_of(words, self._known)
        return candidates, choose(candidates, self._weights, self._nil_weights)

    def _mention(self, text: str, start: int, end: int, entity: int, share: float) -> Mention:
        known = self._known
        return Mention(start, end, text[start:end], known.ids[entity].as_py(), known.labels[entity].as_py(), share)


def _rows(choice: Choice) -> Iterator[tuple[int, int, float, int]]:
    shares = choice.share.round(_SHARE_DIGITS)
    return zip(
        choice.question.tolist(), choice.entity.tolist(), shares.tolist(), choice.candidate.tolist(), strict=True
    )


def _span(question: str, words: AskedWords, candidates: Candidates, candidate: int) -> tuple[int, int]:
    """Return where a candidate's piece stands in its question, without a possessive's ending."""
    pieces, piece = candidates.pieces, candidates.found[candidate]
    start, end = words.places[pieces.first[piece]][0], words.places[pieces.last[piece]][1]
    if pieces.is_cut[piece]:
        end -= 1
        if question[end - 1] in "'’":
            end -= 1
    return start, end
