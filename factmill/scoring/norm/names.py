"""Names in answers: what else a gold answer may be called if it is a person or an organisation of a staged source.

The gold answer is linked in the context of its question, so namesakes stay apart.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from factmill.home import Home
from factmill.linker import open_linker
from factmill.linking.words import words_of
from factmill.manifest import Stage
from factmill.scoring.exact import normalise_answer
from factmill.scoring.norm.descriptors import bracketed, without_descriptors
from factmill.scoring.norm.parties import names_of_parties


class StagedNames:
    """The names of one staged source."""

    def __init__(self, home: Home, source: str) -> None:
        self._home = home
        self._stage = Stage.current(home, source)
        self._linker = open_linker(home, source)

    def of_answers(self, questions: Sequence[str], answers: Sequence[str]) -> list[tuple[str, ...]]:
        """Return for each question with its answer what the person or organisation is called that the answer is."""
        asked = [(number, form) for number, answer in enumerate(answers) for form in _forms_of_gold(answer)]
        linked = self._linker.link_answers([questions[number] for number, _ in asked], [form for _, form in asked])
        entities = {mention.entity for mention in linked if mention}
        names = names_of_parties(self._home, self._stage, entities)
        found: list[tuple[str, ...]] = [()] * len(answers)
        for (number, _), mention in zip(asked, linked, strict=True):
            if mention and not found[number]:
                found[number] = names.get(mention.entity, ())
        return found


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
