"""One of DBpedia's dump files: facts of the asked predicates, names, types and links, whichever it holds.

DBpedia's files end in .ttl but hold one statement a line, as N-Triples do. They are read line by line: one that is not
valid is refused, and a line of a property that nobody asked for costs no parser. A file that is real Turtle, with
prefixes, goes through a library as a whole.
"""

import codecs
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import pyoxigraph as ox

from factmill.dumpfile import Chunk, Window, read_chunks
from factmill.errors import SourceFormatError
from factmill.facts import Batch
from factmill.lineblocks import Block, LineBlocks
from factmill.names import ShardName
from factmill.parts import NOT_ASKED
from factmill.progress import Advance
from factmill.rejects import Rejects
from factmill.settings import settings
from sources._dbpedia_statements import Statements
from sources._ntriples_lines import is_utf8, parse_line
from sources._sparql import Term

_BLOCK_BYTES = 4 << 20
_MAX_LINE_BYTES = 4 << 20
_LINES_BEFORE_GIVING_UP = 1_000
_LINE = re.compile(rb"(?:[ \t]*(?:<[^<>\s]*>|_:\S+)[ \t]+<([^<>\s]*)>)?[^\n]*\n")
_COMMENT_OR_BLANK = re.compile(rb"\s*(?:#.*)?", re.DOTALL)
_TURTLE_DIRECTIVE = re.compile(rb"\s*(?:@prefix|@base|prefix\s|base\s)", re.IGNORECASE)


class DumpReader:
    """Reads one file. Afterwards `lines` and `ignored` tell what was there."""

    def __init__(
        self, path: Path, rejects: Rejects, advance: Advance, *, predicates: Sequence[ShardName], lang: str
    ) -> None:
        self.lines = 0
        self.qualified_lines = 0
        self.as_of: date | None = None
        self._n_unreadable = 0
        self._path = path
        self._rejects = rejects
        self._advance = advance
        self._statements = Statements(predicates, lang, rejects)
        self._wanted = frozenset(prop.encode() for prop in self._statements.properties)

    @property
    def names(self) -> int:
        """Count the names that were found."""
        return self._statements.n_names

    @property
    def ignored(self) -> Counter[str]:
        """Count what was of no use, by reason."""
        return self._statements.ignored

    def __iter__(self) -> Iterator[Batch]:
        yield from self._turtle() if self._is_turtle() else self._line_by_line()
        yield from self._statements.batches(is_end=True)

    def _chunks(self) -> Iterator[Chunk]:
        window = Window(0, self._path.stat().st_size)
        n_read = 0
        for chunk in read_chunks(self._path, window, settings().max_expansion):
            is_first = n_read == 0
            yield _without_mark(chunk) if is_first else chunk
            self._advance(chunk.n_read - n_read)
            n_read = chunk.n_read

    def _is_turtle(self) -> bool:
        """Tell by its first statement whether a file needs more than a look at each line."""
        first = next(read_chunks(self._path, Window(0, self._path.stat().st_size), settings().max_expansion), None)
        lines = _without_mark(first).data.split(b"\n") if first else []
        statement = next((line for line in lines if not _COMMENT_OR_BLANK.fullmatch(line)), b"")
        return _TURTLE_DIRECTIVE.match(statement) is not None

    def _line_by_line(self) -> Iterator[Batch]:
        window = Window(0, self._path.stat().st_size)
        for block in LineBlocks(_BLOCK_BYTES, _MAX_LINE_BYTES).of(self._chunks(), window):
            self._read_block(block)
            yield from self._statements.batches()
            if self.lines >= _LINES_BEFORE_GIVING_UP and self._n_unreadable == self.lines:
                raise SourceFormatError(
                    f"{self._path} holds no N-Triples: its first {self.lines:,} lines were all refused"
                    f" ({self._rejects.example}). Nothing was staged."
                )

    def _read_block(self, block: Block) -> None:
        starts: list[int] = []
        n_lines = 0
        for match in _LINE.finditer(block.data, 0, block.n_bytes):
            n_lines += 1
            if match[1] in self._wanted or match[1] is None:
                starts.append(match.start())
            else:
                self.ignored[NOT_ASKED] += 1
        self.lines += n_lines
        self._advance(0, n_lines)
        lines = [block.line(start) for start in starts]
        for start, line, triple in zip(starts, lines, _parsed(lines), strict=True):
            self._read_line(line, triple, self._place(block, start))

    def _place(self, block: Block, start: int) -> str:
        piece = block.piece_of(start)
        return f"{self._path.name}:{piece.stream}+{piece.offset}"

    def _read_line(self, line: bytes, triple: ox.Quad | None, place: str) -> None:
        if triple is not None:
            self._read_triple(triple, place)
        elif _COMMENT_OR_BLANK.fullmatch(line):
            self.ignored["blank line or comment"] += 1
        else:
            self._n_unreadable += 1
            self._rejects.add(_fault(line), line[:1000].decode("utf-8", "backslashreplace"), place)

    def _turtle(self) -> Iterator[Batch]:
        file = io.BufferedReader(_ChunkFile(self._chunks()))
        try:
            for triple in ox.parse(file, format=ox.RdfFormat.TURTLE):
                self.lines += 1
                self._read_triple(triple, f"{self._path.name}:statement {self.lines}")
                yield from self._statements.batches()
        except SyntaxError as error:
            raise SourceFormatError(
                f"{self._path} is not valid Turtle after {self.lines:,} statements: {str(error)[:200]}."
                " Nothing was staged."
            ) from error

    def _read_triple(self, triple: ox.Quad | ox.Triple, place: str) -> None:
        subject, value = as_term(triple.subject), as_term(triple.object)
        if triple.predicate.value not in self._statements.properties:
            self.ignored[NOT_ASKED] += 1
        elif subject is None or value is None:
            self._rejects.add("a statement about a statement", str(triple), place)
        else:
            self._statements.add(triple.predicate.value, subject, value, place)


def _without_mark(chunk: Chunk) -> Chunk:
    """Cut off the mark that some editors put at the beginning of a file."""
    mark = len(codecs.BOM_UTF8) if chunk.data.startswith(codecs.BOM_UTF8) else 0
    return chunk._replace(data=chunk.data[mark:], offset=chunk.offset + mark)


def _fault(line: bytes) -> str:
    if len(line) > _MAX_LINE_BYTES:
        return f"longer than {_MAX_LINE_BYTES:,} bytes"
    return "not N-Triples" if is_utf8(line) else "not UTF-8"


def _parsed(lines: list[bytes]) -> list[ox.Quad | None]:
    """Parse lines together, which is fast, or one by one where one of them is odd."""
    try:
        triples: list[ox.Quad | None] = list(ox.parse(b"\n".join(lines), format=ox.RdfFormat.N_TRIPLES))
    except SyntaxError:
        triples = []
    return triples if len(triples) == len(lines) else [parse_line(line) for line in lines]


def turtle_statements(path: Path) -> Iterator[ox.Quad]:
    """Yield the statements of a file that is real Turtle, in its order."""
    chunks = read_chunks(path, Window(0, path.stat().st_size), settings().max_expansion)
    whole = (_without_mark(chunk) if number == 0 else chunk for number, chunk in enumerate(chunks))
    yield from ox.parse(io.BufferedReader(_ChunkFile(whole)), format=ox.RdfFormat.TURTLE)


def as_term(term: object) -> Term | None:
    """Return a term as an endpoint gives it; None for a statement about a statement."""
    if isinstance(term, ox.NamedNode):
        return Term("uri", term.value)
    if isinstance(term, ox.BlankNode):
        return Term("bnode", term.value)
    if isinstance(term, ox.Literal):
        return Term("literal", term.value, "" if term.language else term.datatype.value, term.language or "")
    return None


class _ChunkFile(io.RawIOBase):
    """Chunks as a file, for a library that reads files."""

    def __init__(self, chunks: Iterator[Chunk]) -> None:
        self._chunks = chunks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._rest:
            self._rest = next((chunk.data for chunk in self._chunks), b"")
        n_bytes = min(len(buffer), len(self._rest))
        buffer[:n_bytes], self._rest = self._rest[:n_bytes], self._rest[n_bytes:]
        return n_bytes
