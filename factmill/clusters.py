"""Mistake clusters: questions that are asked alike, whatever they are asked about.

The entities of each question are masked, equal wordings are put together, wordings are encoded and grouped by their
cosine. What a cluster asks for, and how often, tells where a corpus has gaps. docs/evaluation.md explains the columns.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmill.communities import Community, communities
from factmill.encoders import Encoder, encode_all
from factmill.linker import Mention
from factmill.masking import Masked, mask, text_to_encode
from factmill.names import ShardName
from factmill.near_pairs import near_pairs
from factmill.paq_form import paq_form
from factmill.templates import Template, catalogue

LEAST_SIZE = 5
_N_EXAMPLES = 3


@dataclass(frozen=True)
class Cluster:
    """Questions with one wording, or nearly one."""

    name: str
    """The commonest wording, entities as ___ and numbers as #."""
    numbers: tuple[int, ...]
    """Which questions they are, counted from 0, in order."""
    questions: tuple[str, ...]
    examples: tuple[str, ...]
    """A few different ones, those with the commonest wording first."""
    predicate: ShardName | None
    """What would answer most of them, of those of which somebody knows."""
    predicate_share: float
    """The share of all its questions that this predicate would answer."""
    wording: str | None
    """A line for a template, where exactly one entity is masked."""
    is_in_template: bool | None
    """Whether the predicate's template has this wording already; None where there is no predicate or no wording."""

    @property
    def size(self) -> int:
        """Count its questions."""
        return len(self.questions)


def find_clusters(
    questions: Sequence[str],
    mentions: Sequence[Sequence[Mention]],
    encoder: Encoder,
    *,
    predicates: Mapping[int, ShardName] | None = None,
    least_size: int = LEAST_SIZE,
) -> list[Cluster]:
    """Return the clusters of some questions, largest first; `predicates` tells by number what would answer which."""
    asked_as = [mask(question, some) for question, some in zip(questions, mentions, strict=True)]
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, masked in enumerate(asked_as):
        numbers[masked.text].append(number)
    # In order, so that clusters do not depend on the order of the questions.
    texts = sorted(numbers)
    first, second = near_pairs(encode_all(encoder, list(map(text_to_encode, texts))), encoder.grid)
    found = communities([len(numbers[text]) for text in texts], first, second, least_size)
    templates = catalogue() if predicates else {}
    return [
        _cluster(
            _name(one, texts, numbers), _numbers(one, texts, numbers), questions, asked_as, predicates or {}, templates
        )
        for one in found
    ]


def _name(community: Community, texts: Sequence[str], numbers: Mapping[str, Sequence[int]]) -> str:
    """Return the commonest wording; of equals the one in the middle, then the first."""
    return min((-len(numbers[texts[row]]), row != community.centre, texts[row]) for row in community.members)[2]


def _numbers(community: Community, texts: Sequence[str], numbers: Mapping[str, Sequence[int]]) -> list[int]:
    return sorted(number for row in community.members for number in numbers[texts[row]])


def _cluster(
    name: str,
    numbers: Sequence[int],
    questions: Sequence[str],
    asked_as: Sequence[Masked],
    predicates: Mapping[int, ShardName],
    templates: Mapping[ShardName, Template],
) -> Cluster:
    votes = Counter(predicates[number] for number in numbers if number in predicates)
    predicate = min(votes, key=lambda shard: (-votes[shard], shard), default=None)
    named = [number for number in numbers if asked_as[number].text == name]
    wording = asked_as[named[0]].wording
    # Each question once, however it is written.
    shown = {paq_form(questions[number]): questions[number] for number in (*named, *numbers)}
    return Cluster(
        name,
        tuple(numbers),
        tuple(questions[number] for number in numbers),
        tuple(shown.values())[:_N_EXAMPLES],
        predicate,
        votes[predicate] / len(numbers) if predicate else 0.0,
        wording,
        _stands_in(templates.get(predicate), wording) if predicate and wording else None,
    )


def _stands_in(template: Template | None, wording: str) -> bool:
    return template is not None and _compared(wording) in map(_compared, template.wordings)


def _compared(wording: str) -> str:
    """Return a wording without differences that do not matter: case, spaces and a question mark."""
    return paq_form(wording.replace("{{", " {{ ").replace("}}", " }} ")).replace(" }} '", " }}'")
