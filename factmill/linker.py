"""Linkers: which entity a question is about, and which one its answer is.

default             names of the staged entities, judged by the question (docs/linking.md)
GenreLinker         what a GENRE checkpoint of your own has predicted (factmill/genre.py)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from factmill.home import Home
from factmill.manifest import Stage
from factmill.settings import settings


@dataclass(frozen=True)
class Mention:
    """A piece of a text and the entity it means: `text` is what stands from `start` to before `end`."""

    start: int
    end: int
    text: str
    entity: str
    label: str
    score: float
    """From 0 to 1: how likely it is that this entity is meant."""


class Linker(Protocol):
    """Finds entities in many texts at once; the same texts give the same links in any order."""

    def link(self, questions: Sequence[str]) -> list[list[Mention]]:
        """Return for each question the entities that it may be about, best first; none if none is likely enough."""

    def link_answers(self, questions: Sequence[str], answers: Sequence[str]) -> list[Mention | None]:
        """Return for each question with its answer the entity that the answer is."""


def open_linker(home: Home, source: str, *, threshold: float | None = None, most: int = 10) -> Linker:
    """Return the default linker for the staged entities of a source, with at most so many mentions a question."""
    from factmill.linking.known import known_entities
    from factmill.linking.name_linker import NameLinker

    least = settings().link_threshold if threshold is None else threshold
    return NameLinker(known_entities(home, Stage.current(home, source)), least, most)
