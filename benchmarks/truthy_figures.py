"""What stands in a dump: counts by kind of line and by kind of value, taken from its text."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.truthy_statements import DIRECT, NORMALIZED

_DIRECT = f"<{DIRECT}"
_TYPE = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_ITEM_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://wikiba.se/ontology#Item>"
_KINDS = {
    "<http://www.w3.org/2000/01/rdf-schema#label>": "label (rdfs:label)",
    "<http://www.w3.org/2004/02/skos/core#prefLabel>": "label (skos:prefLabel)",
    "<http://schema.org/name>": "label (schema:name)",
    "<http://schema.org/description>": "description",
    "<http://www.w3.org/2004/02/skos/core#altLabel>": "alias",
    _ITEM_TYPE: "type wikibase:Item",
    "<http://www.w3.org/2002/07/owl#sameAs>": "redirect",
}
_VALUE = re.compile(
    rb"(?P<item><http://www\.wikidata\.org/entity/Q)"
    rb"|(?P<unknown><http://www\.wikidata\.org/\.well-known/genid/|_:)"
    rb"|(?P<entity><http://www\.wikidata\.org/entity/[PL])"
    rb"|(?P<iri><)"
    rb'|"[^"\\]*(?:\\.[^"\\]*)*"'
    rb"(?:(?P<string> )|(?P<text>@)|\^\^<[^>]*[/#](?:(?P<date>dateTime)|(?P<quantity>decimal)"
    rb"|(?P<coordinate>wktLiteral)|(?P<formula>MathML))>)"
)


class Share(NamedTuple):
    """How many lines of one kind there are, and how many bytes these take, line ends included."""

    lines: int
    bytes: int


@dataclass
class DumpFigures:
    """Lines and bytes by predicate (by predicate and object for types), and direct values by kind."""

    lines: Counter[str] = field(default_factory=Counter)
    line_bytes: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    n_members: int = 0
    raw_bytes: int = 0
    compressed_bytes: int = 0

    def add(self, other: "DumpFigures") -> None:
        """Add the figures of another part of the dump."""
        self.lines.update(other.lines)
        self.line_bytes.update(other.line_bytes)
        self.values.update(other.values)
        self.n_members += other.n_members
        self.raw_bytes += other.raw_bytes
        self.compressed_bytes += other.compressed_bytes

    @property
    def n_lines(self) -> int:
        """All lines."""
        return self.lines.total()

    @property
    def n_entities(self) -> int:
        """Items, without redirects."""
        return self.lines[_ITEM_TYPE]

    @property
    def n_statements(self) -> int:
        """Direct statements, without normalized ones."""
        return self.values.total()

    @property
    def n_properties(self) -> int:
        """Distinct properties of direct statements."""
        return sum(predicate.startswith(_DIRECT) for predicate in self.lines)

    @property
    def ratio(self) -> float:
        """Raw bytes for each compressed byte."""
        return self.raw_bytes / self.compressed_bytes

    def kinds(self) -> dict[str, Share]:
        """Return the share of each kind of line, the most frequent first."""
        lines: Counter[str] = Counter()
        sizes: Counter[str] = Counter()
        for predicate, n in self.lines.items():
            lines[_kind(predicate)] += n
            sizes[_kind(predicate)] += self.line_bytes[predicate]
        return {kind: Share(n, sizes[kind]) for kind, n in lines.most_common()}

    def table(self) -> Iterator[str]:
        """Yield the figures as lines of plain text."""
        yield f"{'kind of line':<24}{'lines':>8}{'bytes':>8}{'bytes/line':>12}"
        for kind, share in self.kinds().items():
            by_line, by_byte = share.lines / self.n_lines, share.bytes / self.raw_bytes
            yield f"{kind:<24}{by_line:>8.2%}{by_byte:>8.2%}{share.bytes / share.lines:>12.1f}"
        yield f"\n{'direct value':<24}{'share':>8}"
        for kind, n in self.values.most_common():
            yield f"{kind:<24}{n / self.n_statements:>8.2%}"
        yield f"\n{self.n_lines:,} lines of {self.raw_bytes / self.n_lines:.1f} bytes, {self.n_entities:,} entities"
        yield f"{self.n_statements:,} direct statements, {self.n_properties:,} distinct properties"
        sizes = f"{self.raw_bytes:,} bytes raw, {self.compressed_bytes:,} compressed"
        yield f"{self.n_members:,} gzip members, {sizes}: ratio {self.ratio:.2f}"


def count(raw: bytes, compressed_bytes: int) -> DumpFigures:
    """Return the figures of one gzip member."""
    lines: Counter[bytes] = Counter()
    sizes: Counter[bytes] = Counter()
    values: Counter[str] = Counter()
    direct = _DIRECT.encode()
    for line in raw.splitlines(keepends=True):
        _, predicate, rest = line.split(b" ", 2)
        if predicate.startswith(direct):
            values[_value_kind(rest)] += 1
        elif predicate == _TYPE:
            predicate = line.split(b" ", 1)[1].removesuffix(b" .\n")
        lines[predicate] += 1
        sizes[predicate] += len(line)
    return DumpFigures(_as_text(lines), _as_text(sizes), values, 1, len(raw), compressed_bytes)


def _value_kind(rest: bytes) -> str:
    found = _VALUE.match(rest)
    if found is None or found.lastgroup is None:
        raise ValueError(f"no value of a direct statement: {rest!r}")
    return found.lastgroup


def _as_text(counts: Counter[bytes]) -> Counter[str]:
    return Counter({predicate.decode(): n for predicate, n in counts.items()})


def _kind(predicate: str) -> str:
    if predicate.startswith(_DIRECT):
        return "direct"
    if predicate.startswith(f"<{NORMALIZED}"):
        return "direct-normalized"
    return _KINDS.get(predicate, "Special:EntityData")
