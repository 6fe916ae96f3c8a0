"""A single line of N-Triples, read by a library: strictly where possible, and leniently where real data needs it."""

import re

import pyoxigraph as ox

_HALF_CHARACTER_OR_RETURN = re.compile(rb"(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]|\r")


def parse_line(line: bytes) -> ox.Quad | None:
    """Return what a line states, None if it is not valid.

    pyoxigraph asks more of addresses and language tags than the grammar does, and real addresses fail it. Lenient, it
    asks nothing of them; the kernel will check them. But then it also lets halves of characters and returns in texts
    through, and line ends in addresses, which would make two lines of one.
    """
    try:
        triples = list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))
    except SyntaxError:
        triples = [] if _HALF_CHARACTER_OR_RETURN.search(line) else _parsed_leniently(line)
    return triples[0] if len(triples) == 1 else None


def _parsed_leniently(line: bytes) -> list[ox.Quad]:
    try:
        triples = list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES, lenient=True))
    except SyntaxError:
        return []
    written = ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES) or b""
    return triples if written.count(b"\n") == 1 else []


def is_utf8(line: bytes) -> bool:
    """Tell whether a line can be read as text."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
