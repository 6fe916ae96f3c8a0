"""DBpedia's places read back: lines of dump files, and for an endpoint the question that gives the row again.

An endpoint is not asked: it may be far away, and what it answers now need not be what it answered then.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import pyoxigraph as ox

from factmill.dumpfile import Packing
from factmill.errors import SourceError
from factmill.inputs import InputHere, Inputs
from factmill.linesat import DumpPlace, read_at
from factmill.names import ShardName
from factmill.places import Claim, Place, Reading, Readings, shown, unreadable
from factmill.rejects import Rejects
from sources import _dbpedia_names as names
from sources._dbpedia_dump import as_term, turtle_statements
from sources._dbpedia_statements import Statements
from sources._ntriples_lines import parse_line

_IN_FILE = re.compile(r"(.+):(?:([0-9]+\+[0-9]+)|statement ([0-9]{1,18}))", re.DOTALL)

Found = tuple[list[bytes], list[Claim]]


def read_places(places: Iterable[Place], inputs: Inputs) -> Readings:
    """Return what stands at each place of a dump file, or which question gives it again."""
    found: Readings = {}
    by_file: dict[str, dict[Place, re.Match[str]]] = defaultdict(dict)
    for place in places:
        match = None if "://" in inputs.name else _IN_FILE.fullmatch(place.text)
        if match:
            found[place] = []
            by_file[match[1]][place] = match
        else:
            found[place] = [_of_endpoint(place, inputs)]
    for name, matches in by_file.items():
        for file in _files(name, inputs):
            try:
                readings = _read(file.path, matches) if file.path else {}
                unread = Reading(name, "", unread=file.missing)
            except (SourceError, OSError, SyntaxError) as error:
                readings, unread = {}, unreadable(Path(file.name), error)
            for place in matches:
                found[place].append(readings.get(place, unread))
    return found


def _of_endpoint(place: Place, inputs: Inputs) -> Reading:
    subject, _, predicate = place.text.rpartition(" ")
    iri = names.RESOURCE + subject.removeprefix("dbr:") if subject.startswith("dbr:") else subject
    where = f"the row of {subject} and {predicate}"
    try:
        query = f"SELECT ?value WHERE {{ {ox.NamedNode(iri)} <{_iri(place)}> ?value }}"
    except ValueError:
        return Reading(inputs.name, where, unread="The place is none that DBpedia's facts have.")
    return Reading(
        inputs.name, where, query=query, unread="An endpoint is not asked again; the question gives the row."
    )


def _iri(place: Place) -> str:
    return names.predicate_iri(ShardName("dbpedia", place.predicate))


def _files(name: str, inputs: Inputs) -> list[InputHere]:
    """Return the files that a place may mean: those of this name, or else what became of the input."""
    named = [file for file in inputs.files if file.name == name] or [file for file in inputs.files if not file.path]
    return named or [InputHere(name, None, f"{name} is not among the files that --dump names.")]


def _read(path: Path, matches: dict[Place, re.Match[str]]) -> dict[Place, Reading]:
    """Read lines at their places, and statements of real Turtle by their numbers: those only from the beginning."""
    shards = sorted({ShardName("dbpedia", place.predicate) for place in matches})
    by_line = {at: place for place, match in matches.items() if (at := DumpPlace.parse(match[2] or ""))}
    by_number = {int(match[3]): place for place, match in matches.items() if match[3]}
    readings: dict[Place, Reading] = {}
    packing = Packing.of(path)
    for at, (lines, claims) in read_at(path, by_line, partial(_line, shards=shards)):
        readings[by_line[at]] = Reading(str(path), at.in_words(packing), tuple(map(shown, lines)), tuple(claims))
    for number, place in by_number.items():
        readings[place] = Reading(str(path), f"statement {number:,}")
    if by_number:
        for number, triple in enumerate(islice(turtle_statements(path), max(by_number)), start=1):
            if place_of := by_number.get(number):
                claims = _claims(triple, shards)
                readings[place_of] = Reading(str(path), f"statement {number:,}", (f"{triple} .",), tuple(claims))
    return readings


def _line(lines: Iterator[bytes], shards: Sequence[ShardName]) -> Found:
    taken = list(islice(lines, 1))
    triple = parse_line(taken[0]) if taken else None
    return taken, _claims(triple, shards) if triple else []


def _claims(triple: ox.Quad, shards: Sequence[ShardName]) -> list[Claim]:
    """Return the facts that staging makes of a statement: raw text of an infobox may be several."""
    subject, value = as_term(triple.subject), as_term(triple.object)
    if subject is None or value is None or triple.predicate.value not in map(names.predicate_iri, shards):
        return []
    with Rejects(Path("rejects"), keep=False) as rejects:
        statements = Statements(shards, "en", rejects)
        statements.add(triple.predicate.value, subject, value, "")
        batches = [batch for batch in statements.batches(is_end=True) if batch.table == "facts"]
    rows = [row for batch in batches for row in batch.rows.to_pylist()]
    return [Claim(row["subject"], row["predicate"], row["object"] or row["value"]) for row in rows]
