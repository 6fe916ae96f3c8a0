"""Which prediction belongs to which question: by id, or by the question's text. Never by a guess."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from factmill.errors import SourceFormatError
from factmill.paq_form import paq_form


class Alignment(NamedTuple):
    """For each question the number of its prediction, and how many predictions are of no use."""

    order: tuple[int, ...]
    n_extra: int


def align_ids(wanted: Sequence[str], given: Sequence[str]) -> Alignment:
    """Find the prediction of each question by its id, as KILT does: ids are unique, and none may be missing.

    >>> align_ids(["a", "b"], ["b", "c", "a"])
    Alignment(order=(2, 0), n_extra=1)
    """
    check_unique(wanted, "question")
    check_unique(given, "prediction")
    places = {one: number for number, one in enumerate(given)}
    for number, one in enumerate(wanted, 1):
        if one not in places:
            raise SourceFormatError(f"there is no prediction for id {one!r} (question {number:,}).")
    return Alignment(tuple(places[one] for one in wanted), len(given) - len(wanted))


def align_texts(wanted: Sequence[str], given: Sequence[str], contents: Sequence[object]) -> Alignment:
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
    _check_left_over(order.values(), given_forms, given, contents)
    return Alignment(tuple(order[number] for number in range(len(wanted))), len(given) - len(wanted))


def check_unique(ids: Iterable[str], what: str) -> None:
    """Make sure that no id stands twice."""
    first: dict[str, int] = {}
    for number, one in enumerate(ids, 1):
        if one in first:
            raise SourceFormatError(f"{what}s {first[one]:,} and {number:,} have the same id {one!r}.")
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


def _check_left_over(
    taken: Iterable[int], forms: Sequence[str], given: Sequence[str], contents: Sequence[object]
) -> None:
    taken = set(taken)
    chosen: defaultdict[str, list[int]] = defaultdict(list)
    for number in sorted(taken):
        chosen[forms[number]].append(number)
    for number, form in enumerate(forms):
        others = chosen.get(form, ())
        if number in taken or not others or any(contents[number] == contents[other] for other in others):
            continue
        raise SourceFormatError(
            f"predictions {others[0] + 1:,} and {number + 1:,} are two different ones for one question"
            f" ({given[number]!r}). Keep one of them."
        )
