"""Small dumps for tests."""

import gzip
from collections.abc import Iterable
from pathlib import Path

ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
DESCRIPTION = "http://schema.org/description"
XSD = "http://www.w3.org/2001/XMLSchema#"


def fact(subject: str, predicate: str, item: str) -> str:
    return f"<{ENTITY}{subject}> <{DIRECT}{predicate}> <{ENTITY}{item}> ."


def date(subject: str, predicate: str, day: str) -> str:
    return f'<{ENTITY}{subject}> <{DIRECT}{predicate}> "{day}T00:00:00Z"^^<{XSD}dateTime> .'


def name(subject: str, text: str, lang: str = "en", role: str = LABEL) -> str:
    return f'<{ENTITY}{subject}> <{role}> "{text}"@{lang} .'


SONGS = [
    f'<http://wikiba.se/ontology#Dump> <http://schema.org/dateModified> "2026-11-01T03:00:00Z"^^<{XSD}dateTime> .',
    # Q1 is Adele's Hello: better known, because more is said about it.
    name("Q1", "Hello"),
    fact("Q1", "P31", "Q7366"),
    fact("Q1", "P175", "Q10"),
    date("Q1", "P577", "2015-10-23"),
    date("Q1", "P571", "2015-01-01"),
    # Q2 is Lionel Richie's.
    name("Q2", "Hello"),
    fact("Q2", "P31", "Q7366"),
    fact("Q2", "P175", "Q11"),
    name("Q10", "Adele"),
    name("Q10", "Adele Adkins", role=ALIAS),
    name("Q10", "English singer", role=DESCRIPTION),
    name("Q10", "阿黛尔", "zh"),
    name("Q11", "Lionel Richie"),
    # Q3 gives its answer away, Q4 has no label, Q5's performer has none.
    name("Q3", "Adele Live"),
    fact("Q3", "P175", "Q10"),
    fact("Q4", "P175", "Q10"),
    name("Q5", "Nobody Knows"),
    fact("Q5", "P175", "Q99"),
    name("Q7366", "song"),
    fact("Q7366", "P279", "Q2188189"),
    name("Q2188189", "musical work"),
]


def write_dump(path: Path, lines: Iterable[str] = SONGS, members: int = 3) -> Path:
    """Write lines as gzip members, cut where it hurts: in the middle of lines."""
    raw = "".join(f"{line}\n" for line in lines).encode()
    size = -(-len(raw) // members)
    parts = [raw[start : start + size] for start in range(0, len(raw), size)]
    path.write_bytes(b"".join(gzip.compress(part, mtime=0) for part in parts))
    return path
