"""Wikidata's places read back: lines of the truthy dump, and statements of a second file.

A place does not say which of the two files it is in, so it is looked up in both; what states the fact is the one.
Lines are parsed by pyoxigraph, not by the compiled reader that staged them: one checks the other.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from factmill.dumpfile import Packing
from factmill.errors import SourceError
from factmill.inputs import Inputs
from factmill.linesat import DumpPlace, read_at
from factmill.names import PropertyId
from factmill.places import Claim, Place, Reading, Readings, shown, unreadable
from sources._ntriples_lines import parse_line
from sources._statements import read_statement

_ITEM = re.compile(r"http://www\.wikidata\.org/entity/(Q[1-9][0-9]{0,11})")
_DIRECT = re.compile(r"http://www\.wikidata\.org/prop/direct/(P[1-9][0-9]{0,8})")

Found = tuple[list[bytes], list[Claim]]
Take = Callable[[Iterator[bytes]], Found]


def read_places(places: Iterable[Place], inputs: Inputs) -> Readings:
    """Return what stands at each place, in the dump and in the second file if there is one."""
    wanted = {place: at for place in places if (at := DumpPlace.parse(place.text))}
    found: Readings = {place: [] for place in wanted}
    for number, file in enumerate(inputs.files):
        if file.path is None:
            _note(found, Reading(file.name, "", unread=file.missing))
            continue
        if number == 0 or not inputs.is_recorded:
            _read_file(file.path, wanted, found, _dump_line)
        if number > 0 or not inputs.is_recorded:
            _read_file(file.path, wanted, found, _statements(file.path, {place.predicate for place in wanted}))
    return found


def _note(found: Readings, reading: Reading) -> None:
    for readings in found.values():
        readings.append(reading)


def _read_file(path: Path, wanted: dict[Place, DumpPlace], found: Readings, take: Take) -> None:
    by_place = defaultdict(list)
    for place, at in wanted.items():
        by_place[at].append(place)
    try:
        packing = Packing.of(path)
        for at, (lines, claims) in read_at(path, by_place, take):
            reading = Reading(str(path), at.in_words(packing), tuple(map(shown, lines)), tuple(claims))
            for place in by_place[at]:
                found[place].append(reading)
    except (SourceError, OSError) as error:
        _note(found, unreadable(path, error))


def _dump_line(lines: Iterator[bytes]) -> Found:
    taken = list(islice(lines, 1))
    return taken, [claim for line in taken if (claim := _claim(line))]


def _claim(line: bytes) -> Claim | None:
    """Return what a line of a truthy dump states of an item."""
    triple = parse_line(line)
    if triple is None or isinstance(triple.object, ox.Triple) or not isinstance(triple.subject, ox.NamedNode):
        return None
    subject, predicate = _ITEM.fullmatch(triple.subject.value), _DIRECT.fullmatch(triple.predicate.value)
    if not subject or not predicate:
        return None
    item = _ITEM.fullmatch(triple.object.value) if isinstance(triple.object, ox.NamedNode) else None
    return Claim(subject[1], predicate[1], item[1] if item else triple.object.value)


def _statements(path: Path, predicates: set[str]) -> Take:
    """Read statements of a second file."""
    asked = [PropertyId.parse(predicate) for predicate in sorted(predicates)]

    def take(lines: Iterator[bytes]) -> Found:
        taken, facts = read_statement(path, lines, asked)
        return taken, [_claim_of_row(*row) for row in facts]

    return take


def _claim_of_row(
    predicate: int, subject: int, item: int | None, text: str, kind: str, lang: str, qualifiers: list[Any], place: Any
) -> Claim:
    named = tuple((q["name"], _text(q["object"], q["value"])) for q in qualifiers)
    return Claim(f"Q{subject}", f"P{predicate}", _text(item, text), named)


def _text(item: int | None, text: str) -> str:
    return text if item is None else f"Q{item}"
