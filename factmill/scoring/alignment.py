"""Which prediction belongs to which question: by id, or by the question's text. Never by a guess."""

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
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
    asked, told = _by_form(wanted), _by_form(given)
    order: dict[int, int] = {}
    for form, numbers in asked.items():
        # Too few are an error below.
        order |= zip(numbers, _chosen([wanted[number] for number in numbers], told[form], given), strict=False)
    for number, text in enumerate(wanted):
        if number not in order:
            n_asked, n_told = len(asked[_form(text)]), len(told[_form(text)])
            often = f"; it is asked {n_asked} times and answered {n_told}" if n_asked > 1 else ""
            raise SourceFormatError(f"there is no prediction for question {number + 1:,} ({text!r}){often}.")
    taken = set(order.values())
    for form in asked:
        _check_the_others(told[form], taken, given, contents, unit)
    return Alignment(tuple(order[number] for number in range(len(wanted))), len(given) - len(wanted))


def check_unique(ids: Iterable[str], unit: str) -> None:
    """Make sure that no id stands twice."""
    first: dict[str, int] = {}
    for number, one in enumerate(ids, 1):
        if one in first:
            raise SourceFormatError(f"{unit} {first[one]:,} and {unit} {number:,} have the same id {one!r}.")
        first[one] = number


def _by_form(texts: Sequence[str]) -> defaultdict[str, list[int]]:
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        numbers[_form(text)].append(number)
    return numbers


def _form(text: str) -> str:
    """Write a question as PAQ does, however often it was written so: of "Cheese? ?" the first time leaves "cheese?"."""
    while (form := paq_form(text)) != text:
        text = form
    return text


def _chosen(texts: Sequence[str], told: Sequence[int], given: Sequence[str]) -> Sequence[int]:
    """Return the predictions of questions that PAQ would write alike.

    If there is one with the same letters for each, as for "what is it" and "What is IT?", these; else the first ones.
    """
    left = list(told)
    by_letters = []
    for text in texts:
        same = next((number for number in left if given[number] == text), None)
        if same is None:
            return told
        left.remove(same)
        by_letters.append(same)
    return by_letters


def _check_the_others(
    told: Sequence[int], taken: Container[int], given: Sequence[str], contents: Sequence[object], unit: str
) -> None:
    """Make sure that the predictions of a question which are left over say the same as one that is taken."""
    chosen = [number for number in told if number in taken]
    for number in told:
        if number not in taken and all(contents[number] != contents[other] for other in chosen):
            raise SourceFormatError(
                f"{unit} {chosen[0] + 1:,} and {unit} {number + 1:,} are different predictions for one question"
                f" ({given[number]!r}). Keep one of them."
            )
