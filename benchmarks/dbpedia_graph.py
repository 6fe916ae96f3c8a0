"""A made-up graph in DBpedia's shape: the twelve predicates of the thesis, one of them larger than any row limit.

Made of numbers, so that it is the same everywhere; among the names and values are the odd kinds that real ones have.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox

N_ARTIST_FACTS = 26_000

_XSD = "http://www.w3.org/2001/XMLSchema#"
_ODD_NAMES = (
    "It's_(Odd)_é",
    "Ümlaut",
    "東京",
    "😀_film",
    "A%22quoted%22_song",
    "BEYONCÉ",
    "Beyoncé",
    "beyonce",
    "x+y&z;w",
    "Ａ_wide",
    "𝔸_double",
    "ﬀ",
    "Back\u2013slash",
    "per%25cent",
)
_ODD_VALUES = (
    "1996-05-03 (age 30)",
    "{{Start date|1996|5|3|df=y}}",
    "May 3, 1996",
    "TBA",
    "c. 1850",
    "Seattle, Washington, 1975",
    "* [[Alice]] * [[Bob|Bobby]]",
    "22 (list of episodes)",
    "1,234",
    "",
    "x" * 5_000,
)


def write_graph(path: Path) -> None:
    """Write the graph as N-Triples."""
    with path.open("wb") as file:
        for triple in statements():
            ox.serialize([triple], file, format=ox.RdfFormat.N_TRIPLES)


def statements() -> Iterator[ox.Triple]:
    """Yield the statements of the graph."""
    for number in range(N_ARTIST_FACTS // 2):
        yield from _song(number)
    for number in range(300):
        yield from _work(number)
    for number, name in enumerate(_ODD_NAMES):
        yield from _odd(number, name)


def _song(number: int) -> Iterator[ox.Triple]:
    """Two artists for each song, so that no page ends where a song does."""
    song = _resource(f"Song_{number:05}_(song)")
    for singer in (number % 997, number % 991 + 1_000):
        yield ox.Triple(song, _property("dbo:artist"), _resource(f"Singer_{singer}"))
    yield _labelled(song, f"Song {number} (song)")
    yield ox.Triple(song, _rdf("type"), ox.NamedNode("http://dbpedia.org/ontology/Song"))
    if number < 2_000:
        yield _labelled(_resource(f"Singer_{number}"), f"Singer {number}")
        yield _same_as(song, 10_000 + number)


def _work(number: int) -> Iterator[ox.Triple]:
    """A series, a book, a song and a company in one, with the other predicates of the thesis."""
    work = _resource(f"Work_{number}")
    year = 1900 + number % 120
    yield _labelled(work, f"Work {number}")
    yield _same_as(work, number + 1)
    for kind in ("Book", "Song"):
        yield ox.Triple(work, _rdf("type"), ox.NamedNode(f"http://dbpedia.org/ontology/{kind}"))
    yield ox.Triple(work, _property("dbo:abstract"), _english(f"Work {number} is a work of {year}. It has more to it."))
    yield ox.Triple(work, _property("dbo:abstract"), ox.Literal(f"Werk {number}.", language="de"))
    for name, value in (
        ("dbo:author", _resource(f"Singer_{number}")),
        ("dbo:writer", _resource(f"Singer_{number + 1}")),
        ("dbo:country", _resource(f"Singer_{number % 9}")),
        ("dbo:formationDate", _typed(f"{year}-05-03", "date")),
        ("dbo:releaseDate", _typed(f"{year}", "gYear")),
        ("dbo:numberOfEpisodes", _typed(f"{number + 1}", "nonNegativeInteger")),
        ("dbp:artist", _english(f"Infobox Singer {number}")),
        ("dbp:firstAired", _english(f"{year}-05-03 (age {number})")),
        ("dbp:founded", _english(f"May 3, {year}")),
        ("dbp:numEpisodes", _english(f"{number + 1:,} episodes")),
        ("dbp:numSeasons", _typed(f"{number % 12 + 1}", "integer")),
        ("dbo:measure", _typed(f"{1234567 + number}.0", "double")),
        ("dbo:measure", _typed(f"-{number + 1:04}-03-15", "date")),
        ("dbo:measure", _typed("true" if number % 2 else "false", "boolean")),
    ):
        yield ox.Triple(work, _property(name), value)


def _odd(number: int, name: str) -> Iterator[ox.Triple]:
    """Names beyond ASCII, values that differ in language or type alone, and raw infobox text."""
    thing = _resource(name)
    yield _labelled(thing, f"Odd {number}")
    for value in (_english("Plain"), ox.Literal("Plain"), ox.Literal("Plain", language="de"), ox.Literal("5")):
        yield ox.Triple(thing, _property("dbp:odd"), value)
    yield ox.Triple(thing, _property("dbp:odd"), _typed("5", "integer"))
    for text in _ODD_VALUES:
        yield ox.Triple(thing, _property("dbp:odd"), _english(text))
    yield ox.Triple(thing, ox.NamedNode("http://www.w3.org/2002/07/owl#sameAs"), ox.NamedNode("http://example.org/x"))


def _resource(name: str) -> ox.NamedNode:
    return ox.NamedNode(f"http://dbpedia.org/resource/{name}")


def _property(name: str) -> ox.NamedNode:
    prefix, _, rest = name.partition(":")
    return ox.NamedNode({"dbo": "http://dbpedia.org/ontology/", "dbp": "http://dbpedia.org/property/"}[prefix] + rest)


def _rdf(name: str) -> ox.NamedNode:
    return ox.NamedNode(f"http://www.w3.org/1999/02/22-rdf-syntax-ns#{name}")


def _english(text: str) -> ox.Literal:
    return ox.Literal(text, language="en")


def _typed(text: str, name: str) -> ox.Literal:
    return ox.Literal(text, datatype=ox.NamedNode(_XSD + name))


def _labelled(thing: ox.NamedNode, text: str) -> ox.Triple:
    return ox.Triple(thing, ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label"), _english(text))


def _same_as(thing: ox.NamedNode, number: int) -> ox.Triple:
    item = ox.NamedNode(f"http://www.wikidata.org/entity/Q{number}")
    return ox.Triple(thing, ox.NamedNode("http://www.w3.org/2002/07/owl#sameAs"), item)


if __name__ == "__main__":
    write_graph(Path(sys.argv[1]))
