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

    def of_answers(self, questions: Sequence[str], gold: Sequence[Sequence[str]]) -> list[set[str]]:
        """Return for each question what the persons and organisations are called that its gold answers are."""
        meant = self._meant(questions, gold)
        asked = [(number, name) for number, entity in meant for name in self._names[entity]]
        entities = [entity for _, entity in meant for _ in self._names[entity]]
        found: list[set[str]] = [set() for _ in questions]
        for (number, name), entity, other in zip(asked, entities, self._parties(questions, asked), strict=True):
            # A name that in this question rather means somebody else is none of this one.
            if other is None or other.entity == entity:
                found[number].add(name)
        return found

    def _meant(self, questions: Sequence[str], gold: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
        """Return the persons and organisations that gold answers are, if that is clear, each once a question."""
        answers = [(number, text) for number, texts in enumerate(gold) for text in texts]
        forms = [(answer, form) for answer, (_, text) in enumerate(answers) for form in _forms_of_gold(text)]
        linked = self._parties(questions, [(answers[answer][0], form) for answer, form in forms])
        meant: dict[int, str] = {}
        for (answer, form), mention in zip(forms, linked, strict=True):
            if mention and mention.score >= _least_score(form):
                meant.setdefault(answer, mention.entity)
        return list(dict.fromkeys((answers[answer][0], entity) for answer, entity in meant.items()))

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
