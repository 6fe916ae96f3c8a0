"""Statements with qualifiers, sitelinks and titles: what a truthy dump lacks, from a second file.

The file is Wikidata's full RDF dump in N-Triples or a part of it, or a CSV file of statements. Kept are statements of
the best rank, as in a truthy dump, that have a qualifier. A qualifier that has several values gives several facts,
because a fact has at most one value of a name.

    <…/entity/statement/Q25188-0f3c…> <…#type> <http://wikiba.se/ontology#BestRank> .
    <…/entity/statement/Q25188-0f3c…> <…/prop/statement/P161> <…/entity/Q38111> .
    <…/entity/statement/Q25188-0f3c…> <…/prop/qualifier/P453> <…/entity/Q3236917> .
    <https://en.wikipedia.org/wiki/Inception> <http://schema.org/about> <http://www.wikidata.org/entity/Q25188> .
    <…/wiki/Special:EntityData/Q25188> <http://wikiba.se/ontology#sitelinks> "106"^^<…#integer> .

    Q25188,P161,Q38111,P453,Q3236917
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

import numpy as np
import pyoxigraph as ox

from factmill.dumpfile import Packing, Window, read_chunks
from factmill.errors import SourceFormatError
from factmill.facts import Batch, IdSpace, Kind, Role, record_batch
from factmill.lineblocks import Block, LineBlocks, Piece
from factmill.names import PropertyId
from factmill.progress import Advance
from factmill.rejects import Rejects
from sources import _statement_kernel as kernel
from sources._ntriples_bytes import words_of
from sources._truthy_rows import asked_properties

_IDS = IdSpace.WIKIDATA
_BATCH_ROWS = 200_000
_BLOCK_BYTES = 1 << 20
_MAX_LINE_BYTES = 1 << 20
_MOST_COMBINATIONS = 100
_MOST_LINES_OF_A_STATEMENT = 10_000

_ITEM = re.compile(r"http://www\.wikidata\.org/entity/Q([1-9][0-9]{0,11})")
_STATEMENT = re.compile(r"http://www\.wikidata\.org/entity/statement/[Qq]([1-9][0-9]{0,11})-.+")
_PROPERTY = re.compile(r"http://www\.wikidata\.org/prop/(statement|qualifier)/P([1-9][0-9]{0,8})")
_DATA_NODE = re.compile(r"https?://www\.wikidata\.org/(?:wiki/Special:EntityData|entity)/Q([1-9][0-9]{0,11})")
_ARTICLE = "https://en.wikipedia.org/wiki/"
_UNKNOWN_VALUE = "http://www.wikidata.org/.well-known/genid/"
_BEST_RANK = "http://wikiba.se/ontology#BestRank"
_SITELINKS = "http://wikiba.se/ontology#sitelinks"
_ABOUT = "http://schema.org/about"
_SUBJECT = re.compile(rb"[ \t]*(<[^>]*>|_:\S+)")
_SMALL_NUMBER = re.compile(r"[0-9]{1,9}")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_LITERAL_KINDS = {
    f"{_XSD}dateTime": Kind.DATE,
    f"{_XSD}date": Kind.DATE,
    f"{_XSD}decimal": Kind.QUANTITY,
    f"{_XSD}integer": Kind.QUANTITY,
    f"{_XSD}double": Kind.QUANTITY,
    "http://www.opengis.net/ont/geosparql#wktLiteral": Kind.COORDINATE,
    f"{_XSD}string": Kind.TEXT,
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString": Kind.TEXT,
}
_CSV_ITEM = re.compile(r"Q([1-9][0-9]{0,11})")
_CSV_PROPERTY = re.compile(r"P([1-9][0-9]{0,8})")


class Value(NamedTuple):
    """The object of a statement or of a qualifier."""

    item: int | None
    text: str | None
    kind: Kind
    lang: str | None


class _Refused(Exception):
    """A line or statement that is refused, with the reason."""


class _Statement:
    """What the lines of one statement say, put together."""

    def __init__(self, subject: int, piece: Piece) -> None:
        self.subject = subject
        self.piece = piece
        self.n_lines = 0
        self.predicate = 0
        self.value: Value | None = None
        self.is_best = False
        self.qualifiers: dict[str, list[Value]] = defaultdict(list)

    def facts(self) -> list[tuple[Any, ...]]:
        """Return a row for each combination of qualifier values."""
        if self.value is None or not self.qualifiers:
            return []
        if prod(map(len, self.qualifiers.values())) > _MOST_COMBINATIONS:
            raise _Refused("too many values of qualifiers")
        names = sorted(self.qualifiers)
        item, text, kind, lang = self.value
        place = {"member": self.piece.stream, "offset": self.piece.offset}
        return [
            (
                self.predicate,
                self.subject,
                item,
                text,
                kind.value,
                lang,
                [{"name": n, "object": q.item, "value": q.text} for n, q in zip(names, chosen, strict=True)],
                place,
            )
            for chosen in product(*(sorted(set(self.qualifiers[name]), key=str) for name in names))
        ]


class SecondReader:
    """Reads the second file. Afterwards its counts tell what became of the lines."""

    def __init__(
        self, path: Path, rejects: Rejects, advance: Advance, *, qualified: Iterable[PropertyId], max_expansion: int
    ) -> None:
        self.lines = self.names = self.qualified_lines = 0
        self.ignored: Counter[str] = Counter()
        self.as_of: date | None = None
        self._path = path
        self._rejects = rejects
        self._advance = advance
        self._asked = asked_properties(qualified)
        self._max_expansion = max_expansion
        self._facts: list[tuple[Any, ...]] = []
        self._about: list[tuple[Any, ...]] = []
        self._statement: _Statement | None = None
        self._statement_iri = ""

    def __iter__(self) -> Iterator[Batch]:
        window = Window(0, self._path.stat().st_size)
        chunks = read_chunks(self._path, window, self._max_expansion)
        is_csv = is_csv_file(self._path)
        read = self._read_csv_line if is_csv else self._read_triple
        n_read = 0
        for block in LineBlocks(_BLOCK_BYTES, _MAX_LINE_BYTES).of(chunks, window):
            n_lines = self.lines
            for start in self._all_lines(block) if is_csv else self._picked_lines(block):
                line, piece = block.line(start), block.piece_of(start)
                try:
                    if len(line) > _MAX_LINE_BYTES:
                        raise _Refused(f"longer than {_MAX_LINE_BYTES:,} bytes")
                    read(line, piece)
                except _Refused as refusal:
                    self._refuse(str(refusal), line, piece)
            self._advance(block.n_read - n_read, self.lines - n_lines)
            n_read = block.n_read
            if len(self._facts) + len(self._about) >= _BATCH_ROWS:
                yield from self._flush()
        self._finish_statement()
        yield from self._flush()
        if not self.names and not self.qualified_lines:
            example = f" ({self._rejects.example})" if self._rejects.example else ""
            raise SourceFormatError(
                f"{self._path} adds nothing: its {self.lines:,} lines hold no sitelinks, no English Wikipedia titles"
                f" and no statements with qualifiers of the properties asked for{example}. Nothing was staged."
            )

    def read_one(self, lines: Iterator[bytes]) -> tuple[list[bytes], list[tuple[Any, ...]]]:
        """Read the statement that these lines begin with; return its lines and its facts as rows."""
        is_csv = is_csv_file(self._path)
        taken: list[bytes] = []
        subject = None
        for line in islice(lines, 1 if is_csv else _MOST_LINES_OF_A_STATEMENT):
            begun = _SUBJECT.match(line)
            if taken and begun and begun[1] != subject:
                break
            subject = subject or (begun[1] if begun else None)
            taken.append(line)
            with suppress(_Refused):
                # The first line of a file may begin with a byte order mark, and no other is staged that does.
                (self._read_csv_line if is_csv else self._read_triple)(line, Piece(0, 0, 0, 0))
            if not is_csv and not self._statement_iri:
                break
        self._finish_statement()
        return taken, self._facts

    def _flush(self) -> Iterator[Batch]:
        if self._facts:
            yield Batch("facts", record_batch(self._facts, _IDS.fact_schema()), is_second_form=True)
        if self._about:
            yield Batch("about", record_batch(self._about, _IDS.about_schema()))
        self._facts.clear()
        self._about.clear()

    def _refuse(self, reason: str, line: bytes, piece: Piece) -> None:
        place = f"{self._path.name} {piece.stream}+{piece.offset}"
        self._rejects.add(reason, line[:1000].decode("utf-8", "backslashreplace"), place)

    def _all_lines(self, block: Block) -> Iterator[int]:
        start = 0
        while start < block.n_bytes:
            self.lines += 1
            yield start
            start = block.data.index(b"\n", start) + 1

    def _picked_lines(self, block: Block) -> list[int]:
        """Return where the lines begin that are worth a look, and count the others."""
        data = np.frombuffer(block.data, np.uint8)
        picked = np.empty(block.n_bytes, np.int64)
        counts = np.zeros(kernel.N_COUNTS, np.int64)
        kernel.pick_lines(data, words_of(data), block.n_bytes, self._asked, picked, counts)
        n_lines, n_picked = counts.tolist()
        self.lines += n_lines
        if n_lines > n_picked:
            self.ignored["second file: not asked for"] += n_lines - n_picked
        return cast(list[int], picked[:n_picked].tolist())

    def _read_triple(self, line: bytes, piece: Piece) -> None:
        """Read a line of the full dump."""
        if not line.strip() or line.lstrip().startswith(b"#"):
            self.ignored["blank line or comment"] += 1
            return
        try:
            (quad,) = ox.parse(line, format=ox.RdfFormat.N_TRIPLES)
        except (SyntaxError, ValueError) as error:
            raise _Refused("not N-Triples") from error
        if isinstance(quad.object, ox.Triple):
            raise _Refused("a statement about a statement")
        subject, predicate, value = quad.subject.value, quad.predicate.value, quad.object
        if match := _STATEMENT.fullmatch(subject):
            if subject != self._statement_iri:
                self._finish_statement()
                self._statement, self._statement_iri = _Statement(int(match[1]), piece), subject
            self._add_to_statement(predicate, value)
        elif predicate == _SITELINKS and (match := _DATA_NODE.fullmatch(subject)):
            if not _SMALL_NUMBER.fullmatch(value.value):
                raise _Refused("no number of sitelinks")
            self._say(int(match[1]), Role.SITELINKS, None, int(value.value))
        elif predicate == _ABOUT and subject.startswith(_ARTICLE) and (match := _ITEM.fullmatch(value.value)):
            title = unquote(subject.removeprefix(_ARTICLE)).replace("_", " ")
            self._say(int(match[1]), Role.TITLE, title, None)
        else:
            self.ignored["second file: not asked for"] += 1

    def _say(self, item: int, role: Role, text: str | None, number: int | None) -> None:
        self.names += 1
        self._about.append((item, role.value, text, number, 0))

    def _add_to_statement(self, predicate: str, value: Any) -> None:
        statement = self._statement
        if statement is None:
            return
        statement.n_lines += 1
        if isinstance(value, ox.NamedNode) and value.value == _BEST_RANK:
            statement.is_best = True
        elif match := _PROPERTY.fullmatch(predicate):
            try:
                found = _value_of(value)
            except _Refused:
                # An unknown value says nothing, and neither does a statement about it.
                self.ignored["second file: unknown value"] += 1
                statement.n_lines -= 1
                return
            if match[1] == "qualifier":
                statement.qualifiers[f"P{match[2]}"].append(found)
            elif self._is_asked(int(match[2])):
                statement.predicate, statement.value = int(match[2]), found

    def _is_asked(self, number: int) -> bool:
        return bool(number < len(self._asked) and self._asked[number])

    def _finish_statement(self) -> None:
        """Make facts of the statement that is complete now."""
        statement, self._statement, self._statement_iri = self._statement, None, ""
        if statement is None:
            return
        try:
            facts = statement.facts() if statement.is_best else []
        except _Refused as refusal:
            self._refuse(str(refusal), b"", statement.piece)
            self.ignored["second file: part of a refused statement"] += statement.n_lines - 1
            return
        if facts:
            self._facts += facts
            self.qualified_lines += statement.n_lines
        else:
            reason = "not of the best rank" if statement.value and not statement.is_best else "not asked for"
            self.ignored[f"second file: {reason}"] += statement.n_lines

    def _read_csv_line(self, line: bytes, piece: Piece) -> None:
        """Read a line `Q1,P2,Q3,P4,Q5…`: subject, property, value, then qualifiers and their values."""
        if (piece.stream, piece.offset) == (0, 0):
            line = line.removeprefix(_BYTE_ORDER_MARK)
        try:
            cells = next(csv.reader([line.decode("utf-8")], strict=True), [])
        except (UnicodeDecodeError, csv.Error) as error:
            raise _Refused("not CSV in UTF-8") from error
        if not cells:
            self.ignored["blank line or comment"] += 1
            return
        if len(cells) < 3 or len(cells) % 2 == 0:
            raise _Refused("not subject, property, value and pairs of qualifiers")
        statement = _Statement(_csv_number(_CSV_ITEM, cells[0]), piece)
        statement.predicate = _csv_number(_CSV_PROPERTY, cells[1])
        statement.value = Value(_csv_number(_CSV_ITEM, cells[2]), None, Kind.ENTITY, None)
        for name, value in zip(cells[3::2], cells[4::2], strict=True):
            number = _csv_number(_CSV_PROPERTY, name)
            statement.qualifiers[f"P{number}"].append(Value(_csv_number(_CSV_ITEM, value), None, Kind.ENTITY, None))
        if len(self._asked) and not self._is_asked(statement.predicate):
            self.ignored["second file: not asked for"] += 1
        elif facts := statement.facts():
            self._facts += facts
            self.qualified_lines += 1
        else:
            self.ignored["second file: no qualifiers"] += 1


def read_statement(
    path: Path, lines: Iterator[bytes], asked: Iterable[PropertyId]
) -> tuple[list[bytes], list[tuple[Any, ...]]]:
    """Read the one statement that lines of such a file begin with; return its lines and its facts as rows."""
    with Rejects(path, keep=False) as rejects:
        reader = SecondReader(path, rejects, lambda *_: None, qualified=asked, max_expansion=1)
        return reader.read_one(lines)


def is_csv_file(path: Path) -> bool:
    """Tell by its name whether the second file is CSV: `.csv`, or that and the suffix of a compressed file."""
    packed = {packing.suffix for packing in Packing if packing.suffix}
    return (path.with_suffix("") if path.suffix in packed else path).suffix.lower() == ".csv"


def _value_of(term: Any) -> Value:
    if isinstance(term, ox.Literal):
        kind = _LITERAL_KINDS.get(term.datatype.value)
        if kind is None:
            raise _Refused("unknown datatype")
        return Value(None, term.value, kind, term.language)
    if not isinstance(term, ox.NamedNode) or term.value.startswith(_UNKNOWN_VALUE):
        raise _Refused("unknown value")
    item = _ITEM.fullmatch(term.value)
    return Value(int(item[1]), None, Kind.ENTITY, None) if item else Value(None, term.value, Kind.URL, None)


def _csv_number(form: re.Pattern[str], text: str) -> int:
    match = form.fullmatch(text)
    if match is None:
        raise _Refused("not an item or property")
    return int(match[1])
