"""The slow and obvious reader of truthy dumps: what the fast one in sources/ must say, too.

It has pyoxigraph parse a line at a time and then applies the rules in plain Python. It shares no code with the other.

One thing is not pyoxigraph's: the form of addresses and language tags. Its checks go beyond the grammar of N-Triples
(percent encoding, brackets, ports, schemes, private characters, subtags over eight letters), and real dumps hold
addresses that fail them. So `_parse` takes the grammar's word for those, and pyoxigraph's for everything else.
"""

import gzip
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pyoxigraph as ox

ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
UNKNOWN_VALUE = "http://www.wikidata.org/.well-known/genid/"
MODIFIED = "http://schema.org/dateModified"
FORMULA = "http://www.w3.org/1998/Math/MathML"
XSD = "http://www.w3.org/2001/XMLSchema#"
NAMES = {
    "http://www.w3.org/2000/01/rdf-schema#label": "label",
    "http://www.w3.org/2004/02/skos/core#altLabel": "alias",
    "http://schema.org/description": "description",
}
KINDS = {
    XSD + "dateTime": "date",
    XSD + "date": "date",
    XSD + "decimal": "quantity",
    XSD + "integer": "quantity",
    XSD + "double": "quantity",
    XSD + "string": "text",
    "http://www.opengis.net/ont/geosparql#wktLiteral": "coordinate",
}
ALWAYS_ASKED = {"P31", "P279"}
MAX_LINE_BYTES = 1_048_576

# IRIREF and LANGTAG of the grammar, and texts, so that nothing in them is taken for one. A datatype that promises a
# language where there is none is left for pyoxigraph to refuse.
_PLAIN_IRI = r'[^\x00-\x20<>"{}|^`\\]'
_TERM = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")'
    r"|<(?!http://www\.w3\.org/1999/02/22-rdf-syntax-ns#(?:dirL|l)angString>)"
    rf"(?:{_PLAIN_IRI}|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{{4}}|\\U[0-9a-fA-F]{{8}})*>"
    r"|@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*"
)


class Fact(NamedTuple):
    predicate: int
    subject: int
    object: int | None
    value: str | None
    kind: str
    lang: str | None


class About(NamedTuple):
    id: int
    role: str
    text: str


@dataclass
class Reading:
    """What a dump says, in the order of its lines."""

    facts: list[Fact] = field(default_factory=list)
    about: list[About] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    lines: int = 0
    names: int = 0
    as_of: date | None = None


class Ignored(Exception):
    pass


class Refused(Exception):
    pass


def read_dump(path: Path, lang: str = "en", only: Collection[str] = ()) -> Reading:
    content = path.read_bytes()
    return read_text(gzip.decompress(content) if path.suffix == ".gz" else content, lang, only)


def read_text(text: bytes, lang: str = "en", only: Collection[str] = ()) -> Reading:
    lines = text.split(b"\n")
    return read_lines(lines if lines[-1] else lines[:-1], lang, only)


def read_lines(lines: Iterable[bytes], lang: str = "en", only: Collection[str] = ()) -> Reading:
    """Read lines without their line ends."""
    reading = Reading()
    for line in lines:
        reading.lines += 1
        try:
            _read_line(line.removesuffix(b"\r"), reading, lang.lower(), only)
        except Ignored as reason:
            reading.ignored[str(reason)] += 1
        except Refused as reason:
            reading.refused[str(reason)] += 1
    return reading


def _read_line(line: bytes, reading: Reading, lang: str, only: Collection[str]) -> None:
    subject, predicate, value = _terms(line)
    if predicate == MODIFIED and isinstance(value, ox.Literal) and _item(subject) is None:
        reading.as_of = max(filter(None, (reading.as_of, _day(value.value))), default=None)
    item = _item(subject)
    if item is None:
        raise Ignored("subject is not an item")
    if is_property := re.fullmatch(re.escape(DIRECT) + "P([1-9][0-9]{0,8})", predicate):
        number = int(is_property[1])
        if only and f"P{number}" not in {*only, *ALWAYS_ASKED}:
            raise Ignored("a property that was not asked for")
        fact = _fact(number, item, value)
        reading.facts.append(fact)
        if number == 31 and fact.kind == "entity":
            reading.about.append(About(item, "type", f"Q{fact.object}"))
    elif predicate in NAMES:
        if not isinstance(value, ox.Literal) or (value.language or "").lower() != lang:
            raise Ignored("another language")
        reading.about.append(About(item, NAMES[predicate], value.value))
        reading.names += 1
    else:
        raise Ignored("another predicate")


def _terms(line: bytes) -> tuple[str | None, str, ox.NamedNode | ox.BlankNode | ox.Literal]:
    """Return subject (None for a blank node), predicate and object of a line."""
    if len(line) > MAX_LINE_BYTES:
        raise Refused("longer than 1,048,576 bytes")
    said = line.lstrip(b" \t\r")
    if not said or said.startswith(b"#"):
        raise Ignored("blank line or comment")
    try:
        triples = _parse(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refused("not UTF-8") from None
    except SyntaxError:
        raise Refused("not N-Triples") from None
    if len(triples) != 1:
        raise Refused("not N-Triples")
    subject, predicate, value = triples[0].subject, triples[0].predicate, triples[0].object
    if isinstance(value, ox.Triple):
        raise Refused("a statement about a statement")
    return subject.value if isinstance(subject, ox.NamedNode) else None, predicate.value, value


def _parse(line: str) -> list[ox.Quad]:
    try:
        return list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))
    except SyntaxError:
        # Lenient, pyoxigraph lets more through than odd addresses and tags. So the line must be valid once plain ones
        # stand in their places.
        list(ox.parse(_TERM.sub(_plain, line), format=ox.RdfFormat.N_TRIPLES))
        triples = list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES, lenient=True))
        if all(re.fullmatch(f"{_PLAIN_IRI}*", iri) for triple in triples for iri in _iris(triple)):
            return triples
        raise


def _plain(term: re.Match[str]) -> str:
    return term["text"] or ("<a:b>" if term[0].startswith("<") else "@en")


def _iris(triple: ox.Quad | ox.Triple) -> list[str]:
    """Return all addresses in a statement."""
    found = []
    for term in (triple.subject, triple.predicate, triple.object):
        if isinstance(term, ox.Triple):
            found += _iris(term)
        elif isinstance(term, ox.Literal):
            found.append(term.datatype.value)
        elif isinstance(term, ox.NamedNode):
            found.append(term.value)
    return found


def _fact(number: int, item: int, value: ox.NamedNode | ox.BlankNode | ox.Literal) -> Fact:
    if isinstance(value, ox.BlankNode) or (isinstance(value, ox.NamedNode) and value.value.startswith(UNKNOWN_VALUE)):
        raise Refused("unknown value")
    if isinstance(value, ox.Literal):
        return Fact(number, item, None, value.value, _kind(value), (value.language or "").lower() or None)
    if value.value.startswith(ENTITY):
        target = _item(value.value)
        if target is None:
            raise Ignored("object is not an item")
        return Fact(number, item, target, None, "entity", None)
    if not re.match("[a-zA-Z][a-zA-Z0-9+.-]*:", value.value):
        # Here the grammar is not enough: a relative address leads nowhere.
        raise Refused("not N-Triples")
    return Fact(number, item, None, value.value, "url", None)


def _kind(literal: ox.Literal) -> str:
    if literal.language:
        return "text"
    if literal.datatype.value == FORMULA:
        raise Ignored("object is a formula")
    if literal.datatype.value not in KINDS:
        raise Refused("unknown datatype")
    return KINDS[literal.datatype.value]


def _item(iri: str | None) -> int | None:
    match = re.fullmatch(re.escape(ENTITY) + "Q([1-9][0-9]{0,11})", iri or "")
    return int(match[1]) if match else None


def _day(text: str) -> date | None:
    """Return the day with which a text begins, if there is such a day."""
    match = re.match("([0-9]{4})-([0-9]{2})-([0-9]{2})", text)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None
