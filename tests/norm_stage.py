"""A small stage for EM_norm: the persons and organisations of the thesis' examples, and namesakes of some."""

from collections.abc import Sequence
from pathlib import Path

from factmill.home import Home
from factmill.stage import stage_wikidata
from tests.dumps import ALIAS, DESCRIPTION, DIRECT, ENTITY, fact, name, write_dump

HUMAN, BAND = "Q5", "Q215380"


def _party(item: str, kind: str | None, label: str, aliases: Sequence[str] = (), *, says: str = "") -> list[str]:
    lines = [name(item, label), *(name(item, alias, role=ALIAS) for alias in aliases)]
    if kind:
        lines.append(fact(item, "P31", kind))
    if says:
        lines.append(name(item, says, role=DESCRIPTION))
    return lines


def _born_as(item: str, text: str) -> str:
    return f'<{ENTITY}{item}> <{DIRECT}P1477> "{text}"@en .'


LINES = [
    *_party("Q101", HUMAN, "Isaac Newton", ["Sir Isaac Newton", "Newton"]),
    *_party("Q102", "Q3624078", "Soviet Union", ["USSR", "Soviet"]),
    # What is asked about, so that a short name is clear.
    name("Q302", "Sputnik 1"),
    fact("Q302", "P137", "Q102"),
    *_party("Q103", "Q484652", "United Nations High Commissioner for Refugees", ["UNHCR"]),
    name("Q303", "1954 Nobel Peace Prize"),
    fact("Q303", "P1346", "Q103"),
    *_party("Q104", HUMAN, "Ludwig van Beethoven", ["Beethoven"]),
    *_party("Q105", "Q484652", "European Union", ["EU"]),
    *_party("Q106", "Q5741069", "REO Speedwagon"),
    *_party("Q107", "Q3024240", "Empire of Japan", ["Japan"]),
    *_party("Q108", HUMAN, "Floyd Mayweather", ["Mayweather"]),
    name("Q308", "Mayweather vs. McGregor"),
    fact("Q308", "P1346", "Q108"),
    *_party("Q109", HUMAN, "Peter Reckell"),
    _born_as("Q109", "Peter Paul Reckell"),
    *_party("Q110", HUMAN, "Abraham Maslow", ["Abraham Harold Maslow"]),
    *_party("Q111", HUMAN, "David Fielding", ["David J. Fielding"]),
    # No type is staged of him, but what he sings.
    *_party("Q112", None, "Keith Hampshire"),
    name("Q312", "The First Cut Is the Deepest"),
    fact("Q312", "P175", "Q112"),
    *_party("Q113", "Q99001", "Glass Tiger"),
    # A class of bands that leads to bands.
    fact("Q99001", "P279", "Q99002"),
    fact("Q99002", "P279", BAND),
    *_party("Q120", HUMAN, "Tom Holland", ["Thomas Stanley Holland"], says="English actor (born 1996)"),
    name("Q320", "Spider-Man"),
    fact("Q320", "P161", "Q120"),
    *_party("Q121", HUMAN, "Tom Holland", ["Holland of Salisbury"], says="English writer"),
    name("Q321", "Rubicon"),
    fact("Q321", "P50", "Q121"),
    *_party("Q122", HUMAN, "Magnus Carlsen", ["Sven Magnus Øen Carlsen"]),
    *_party("Q123", HUMAN, "Kim Il-sung", ["Kim Sŏng-ju", "Kim Il Sung"]),
    *_party("Q124", HUMAN, "Chrissy Metz", ["Christine Michelle Metz", "Christine Metz"]),
    *_party("Q125", HUMAN, "Mat Fraser", ["Mathew Fraser"], says="American athlete"),
    *_party("Q126", HUMAN, "Charles Dickens", ["Dickens", "C.Dickens", "Boz"]),
    _born_as("Q126", "Charles John Huffam Dickens"),
    *_party("Q127", HUMAN, "Roger Federer", ["Federer"]),
    *_party("Q128", "Q641066", "Fifth Harmony", ["5H"]),
    fact("Q128", "P740", "Q400"),
    *_party("Q129", HUMAN, "Sam Hunt", ["Sam Lowry Hunt"]),
    # Two presidents: one is called like the other.
    *_party("Q130", HUMAN, "John Adams", ["President Adams"]),
    *_party("Q131", HUMAN, "John Quincy Adams", ["John Adams", "J. Q. Adams"]),
    # Neither person nor organisation.
    *_party("Q400", "Q515", "Miami", ["Magic City"]),
    # A language, which somebody says to have been influenced by.
    *_party("Q402", "Q34770", "Elvish Tongue", ["Quenya Tongue"]),
    fact("Q101", "P737", "Q402"),
    *_party("Q401", "Q11424", "Heat", ["Heat 1995"]),
    fact("Q401", "P161", "Q109"),
]


def norm_home(home: Home, folder: Path) -> Home:
    """Stage the lines in a home."""
    stage_wikidata(home, write_dump(folder / "norm.nt.gz", LINES), "en")
    return home
