"""Which prediction belongs to which question: by id, or by the question's text. Never by a guess."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from factmill.errors import SourceFormatError
from factmill.paq_form import paq_form


class Alignment(NamedTuple):
    """For each question the number of its prediction, and how many predictions are of no use."""

    order: tuple[int, ...]
    n_extra: int


def align_ids(wanted: Sequence[str], given: Sequence[str], unit: str = "prediction") -> Alignment:
    """Find the prediction of each question by its id, as KILT does: ids are unique, and none may be missing.

    A message calls the third prediction "line 3" if `unit` is "line".

    >>> align_ids(["a", "b"], ["b", "c", "a"])
    Alignment(order=(2, 0), n_extra=1)
    """
    check_unique(wanted, "question")
    check_unique(given, unit)
    places = {one: number for number, one in enumerate(given)}
    for number, one in enumerate(wanted, 1):
        if one not in places:
            raise SourceFormatError(f"there is no prediction for id {one!r} (question {number:,}).")
    return Alignment(tuple(places[one] for one in wanted), len(given) - len(wanted))


def align_texts(
    wanted: Sequence[str], given: Sequence[str], contents: Sequence[object], unit: str = "prediction"
) -> Alignment:
    """Find the prediction of each question by its text, as PAQ writes it.

    Questions that stand more than once are aligned in order of occurrence. A prediction too many for a question must
    say the same (`contents`) as one that is taken, else nobody knows which one counts.

    >>> align_texts(["Who is it?", "why"], ["why", "who is it", "why"], ["x", "y", "x"])
    Alignment(order=(1, 0), n_extra=1)
    """
    forms, given_forms = list(map(paq_form, wanted)), list(map(paq_form, given))
    order: dict[int, int] = {}
    # The same letters first, so that "what is it" and "What is IT?" stay apart where both are asked.
    for asked, told in ((wanted, given), (forms, given_forms)):
        _take(order, asked, told)
    for number, text in enumerate(wanted):
        if number not in order:
            n_asked = forms.count(forms[number])
            often = f"; it is asked {n_asked} times and answered {given_forms.count(forms[number])}"
            raise SourceFormatError(
                f"there is no prediction for question {number + 1:,} ({text!r}){often if n_asked > 1 else ''}."
            )
    for number, other in _contradictions(order.values(), given_forms, contents):
        raise SourceFormatError(
            f"{unit} {other + 1:,} and {unit} {number + 1:,} are different predictions for one question"
            f" ({given[number]!r}). Keep one of them."
        )
    return Alignment(tuple(order[number] for number in range(len(wanted))), len(given) - len(wanted))


def check_unique(ids: Iterable[str], unit: str) -> None:
    """Make sure that no id stands twice."""
    first: dict[str, int] = {}
    for number, one in enumerate(ids, 1):
        if one in first:
            raise SourceFormatError(f"{unit} {first[one]:,} and {unit} {number:,} have the same id {one!r}.")
        first[one] = number


def _take(order: dict[int, int], wanted: Sequence[str], given: Sequence[str]) -> None:
    """Give each question that has none the first prediction left over with the same text."""
    taken = set(order.values())
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for number in range(len(given) - 1, -1, -1):
        if number not in taken:
            waiting[given[number]].append(number)
    for place, text in enumerate(wanted):
        if place not in order and waiting.get(text):
            order[place] = waiting[text].pop()


def _contradictions(
    taken: Iterable[int], forms: Sequence[str], contents: Sequence[object]
) -> Iterator[tuple[int, int]]:
    """Yield each prediction left over that says something else than those taken for its question, with one of these."""
    chosen: defaultdict[str, list[int]] = defaultdict(list)
    for number in sorted(taken):
        chosen[forms[number]].append(number)
    for number, form in enumerate(forms):
        others = chosen.get(form)
        if others and number not in others and all(contents[number] != contents[other] for other in others):
            yield number, others[0]
