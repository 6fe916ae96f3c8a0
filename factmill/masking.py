"""Questions without what they are about: named entities become ___ and numbers #, so that only the wording is left.

Its one surprise: what is encoded is not what is shown. An encoder reads "___" as several odd pieces; "x" is one piece
that says little.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

from factmill.linker import Mention
from factmill.paq_form import paq_form

ENTITY, NUMBER = "___", "#"
_ENCODED = {ENTITY: "x", NUMBER: "1"}
_NUMBER = re.compile(r"\b[0-9]+(?:[.,][0-9]+)*(?:st|nd|rd|th|s)?\b", re.IGNORECASE)
_LOOSE_POSSESSIVE = re.compile(rf"{ENTITY} (['’]s\b)")
_SUBJECT = "{{ subject }}"

Span = tuple[int, int]


@dataclass(frozen=True)
class Masked:
    """A question's wording, in PAQ's form, and how many entities and numbers were masked in it."""

    text: str
    n_entities: int
    n_numbers: int

    @property
    def wording(self) -> str | None:
        """Return the wording of a template; None unless it asks about one entity and about nothing else.

        >>> Masked("who wrote ___", 1, 0).wording
        'who wrote {{ subject }}'
        """
        is_about_one = (self.n_entities, self.n_numbers, self.text.count(ENTITY)) == (1, 0, 1)
        # Braces would be a template's own: what somebody asked must not become one.
        if not is_about_one or self.text == ENTITY or any(sign in self.text for sign in "{}"):
            return None
        return self.text.replace(ENTITY, _SUBJECT)


def mask(question: str, mentions: Iterable[Mention]) -> Masked:
    """Mask the entities of a question, then what numbers are left.

    >>> mask("Who was in Dune 2?", [Mention(11, 15, "Dune", "Q1", "Dune", 0.9)])
    Masked(text='who was in ___ #', n_entities=1, n_numbers=1)
    """
    entities = _entity_spans(question, mentions)
    numbers = [
        found.span() for found in _NUMBER.finditer(question) if not any(_overlap(found.span(), one) for one in entities)
    ]
    text = question
    for (start, end), sign in sorted([*((span, ENTITY) for span in entities), *((span, NUMBER) for span in numbers)])[
        ::-1
    ]:
        text = f"{text[:start]}{sign}{text[end:]}"
    return Masked(_LOOSE_POSSESSIVE.sub(rf"{ENTITY}\1", paq_form(text)), len(entities), len(numbers))


def text_to_encode(masked: str) -> str:
    """Return what an encoder reads instead of a masked text.

    >>> text_to_encode("who won season # of ___")
    'who won season 1 of x'
    """
    for sign, word in _ENCODED.items():
        masked = masked.replace(sign, word)
    return masked


def _entity_spans(question: str, mentions: Iterable[Mention]) -> list[Span]:
    """Return spans that do not overlap: the likeliest first, then the longest.

    How likely a span is a name is the sum over all that it may mean: two songs of one name share its score.
    """
    scores: dict[Span, list[float]] = defaultdict(list)
    for mention in mentions:
        if mention.start < mention.end:
            scores[_whole_words(question, mention.start, mention.end)].append(mention.score)
    # fsum does not depend on the order.
    ranked = sorted(scores, key=lambda span: (-fsum(scores[span]), span[0] - span[1], span))
    taken: list[Span] = []
    for span in ranked:
        if not any(_overlap(span, other) for other in taken):
            taken.append(span)
    return taken


def _whole_words(question: str, start: int, end: int) -> Span:
    """Return a span without loose ends: a plural's "s" is no wording."""
    while start > 0 and question[start - 1].isalnum():
        start -= 1
    while end < len(question) and question[end].isalnum():
        end += 1
    return start, end


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
