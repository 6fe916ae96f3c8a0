"""Names in answers: what else a gold answer may be called if it is a person or an organisation of a staged source.

The gold answer is linked in the context of its question, so namesakes stay apart.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from factmill.home import Home
from factmill.linker import Mention, open_linker
from factmill.linking.words import words_of
from factmill.manifest import Stage
from factmill.scoring.exact import normalise_answer
from factmill.scoring.norm.descriptors import bracketed, without_descriptors
from factmill.scoring.norm.parties import names_of_parties

_LEAST_SCORE = 0.05
"""Of a link: names of several words seldom mean another than the one they link to."""
_LEAST_OF_A_WORD = 0.5
"""One word may be the name of many, also of such as are not staged."""


class StagedNames:
    """The names of one staged source."""

    def __init__(self, home: Home, source: str) -> None:
        self._home = home
        self._stage = Stage.current(home, source)
        self._linker = open_linker(home, source, threshold=_LEAST_SCORE)
        self._names: dict[str, tuple[str, ...]] = {}
        """Of entities that were looked up; none of one that is neither a person nor an organisation."""

    def of_answers(self, questions: Sequence[str], answers: Sequence[str]) -> list[list[str]]:
        """Return for each question with its answer what the person or organisation is called that the answer is."""
        meant = self._meant(questions, answers)
        asked = [(number, name) for number, entity in enumerate(meant) if entity for name in self._names[entity]]
        found: list[list[str]] = [[] for _ in answers]
        for (number, name), other in zip(asked, self._parties(questions, asked), strict=True):
            # A name that in this question rather means somebody else is none of this one.
            if other is None or other.entity == meant[number]:
                found[number].append(name)
        return found

    def _meant(self, questions: Sequence[str], answers: Sequence[str]) -> list[str | None]:
        """Return the person or organisation that each answer is, if that is clear."""
        asked = [(number, form) for number, answer in enumerate(answers) for form in _forms_of_gold(answer)]
        meant: list[str | None] = [None] * len(answers)
        for (number, form), mention in zip(asked, self._parties(questions, asked), strict=True):
            if mention and meant[number] is None and mention.score >= _least_score(form):
                meant[number] = mention.entity
        return meant

    def _parties(self, questions: Sequence[str], asked: Sequence[tuple[int, str]]) -> list[Mention | None]:
        """Return for each number of a question with an answer the person or organisation that is likeliest."""
        linked = self._linker.link_answers([questions[number] for number, _ in asked], [text for _, text in asked])
        new = {mention.entity for mention in linked if mention} - self._names.keys()
        self._names |= dict.fromkeys(new, ()) | dict(names_of_parties(self._home, self._stage, new))
        return [mention if mention and self._names[mention.entity] else None for mention in linked]


def _least_score(name: str) -> float:
    """Return how likely the link of a gold answer has to be."""
    return _LEAST_OF_A_WORD if len(name_key(name).split()) == 1 else _LEAST_SCORE


def _forms_of_gold(answer: str) -> Iterator[str]:
    """Yield what to look up, best first: the answer, without what stands in brackets, and without descriptors.

    >>> list(_forms_of_gold("American rock band REO Speedwagon (1973)"))[1:]
    ['American rock band REO Speedwagon', 'REO Speedwagon']
    """
    yield answer
    split = bracketed(answer)
    if split:
        yield split.name
    yield from without_descriptors(split.name if split else answer)


@lru_cache(maxsize=200_000)
def name_key(text: str) -> str:
    """Return a name as names are compared: as exact match has it, and without accents.

    >>> name_key("The Kim Sŏng-ju"), name_key("J.K. Rowling")
    ('kim songju', 'jk rowling')
    """
    return " ".join(words_of(normalise_answer(text)))


def is_one_of(text: str, names: frozenset[str]) -> bool:
    """Tell whether a text is one of these names, as `name_key` gives them.

    A bracket behind it may hold another of the names, or years; descriptors may stand before it.
    """
    if name_key(text) in names:
        return True
    split = bracketed(text)
    if split and (name_key(split.inside) in names or _is_year(split.inside)):
        return is_one_of(split.name, names)
    return any(name_key(rest) in names for rest in without_descriptors(text))


def _is_year(text: str) -> bool:
    return text.isascii() and text.isdigit()
