"""Wikidata: facts, names and types from a truthy dump in N-Triples (latest-truthy.nt.gz).

Licence CC0-1.0. A truthy dump holds the best-ranked value of each statement, without qualifiers, references or
sitelinks, and its dates have lost their precision. It names a thing three times (rdfs:label, skos:prefLabel and
schema:name always agree), so only the first is kept.

A dump is read window by window; see factmill/windows.py. sources/_truthy_kernel.py reads the lines that are as Wikidata
writes them. pyoxigraph reads the others, and writes what is valid in that form.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pyoxigraph as ox

from factmill.dumpfile import Window, read_chunks
from factmill.errors import SourceFormatError
from factmill.facts import Batch, IdSpace, SourceInfo
from factmill.lineblocks import Block, LineBlocks, Piece
from factmill.names import PropertyId
from factmill.progress import Advance
from factmill.rejects import Rejects
from sources import _truthy_kernel as kernel
from sources._ntriples_bytes import words_of
from sources._ntriples_lines import is_utf8, parse_line
from sources._statements import SecondReader
from sources._truthy_rows import About, Facts, asked_properties
from sources._wikidata_places import read_places

__all__ = ["INFO", "TYPE_PROPERTIES", "SecondReader", "WindowReader", "read_places"]

INFO = SourceInfo(name="wikidata", licence="CC0-1.0", ids=IdSpace.WIKIDATA, is_whole=True, is_dump=True)

TYPE_PROPERTIES = (PropertyId(31), PropertyId(279))
"""Instance of and subclass of: kept whatever was asked for, because templates choose subjects by type."""

_BLOCK_BYTES = 1 << 20
_BATCH_ROWS = 1_000_000
_BATCH_TEXT_BYTES = 64 << 20
_LEAST_ROW_BYTES = 64
"""No line that becomes a row is shorter than this."""
_LINES_BEFORE_GIVING_UP = 1_000
_TOO_LONG = f"longer than {kernel.MAX_LINE_BYTES:,} bytes"
_UNKNOWN_VALUE = ox.NamedNode("http://www.wikidata.org/.well-known/genid/")


class WindowReader:
    """Reads one window of a dump. Afterwards `lines`, `names`, `ignored` and `as_of` tell what else was there."""

    def __init__(
        self,
        path: Path,
        window: Window,
        rejects: Rejects,
        advance: Advance,
        *,
        lang: str,
        only: Sequence[PropertyId],
        max_expansion: int,
    ) -> None:
        self.ignored: Counter[str] = Counter()
        self.qualified_lines = 0
        self._path = path
        self._window = window
        self._max_expansion = max_expansion
        self._rejects = rejects
        self._advance = advance
        self._lang = np.frombuffer(lang.encode("ascii"), np.uint8)
        self._asked = asked_properties([*only, *TYPE_PROPERTIES] if only else [])
        self._facts = Facts.of_size(_BATCH_ROWS, _BATCH_TEXT_BYTES)
        self._about = About.of_size(_BATCH_ROWS, _BATCH_TEXT_BYTES)
        self._odd = np.empty(0, np.int64)
        self._refused = np.empty((0, 2), np.int64)
        self._ignored = np.zeros(len(kernel.IGNORED), np.int64)
        self._counts = np.zeros(kernel.N_COUNTS, np.int64)
        self._terms = np.zeros(kernel.N_TERMS, np.int64)
        self._refusals: list[tuple[Piece, str, bytes]] = []
        self._n_about_before = 0

    @property
    def lines(self) -> int:
        """Count the lines read."""
        return int(self._counts[kernel.N_LINES])

    @property
    def names(self) -> int:
        """Count the lines that gave a label, an alias or a description."""
        return self._n_about_before + int(self._counts[kernel.N_ABOUT] - self._counts[kernel.N_TYPES])

    @property
    def as_of(self) -> date | None:
        """Return the day of the last change: the same on every machine, unlike a file's time."""
        day = int(self._counts[kernel.LAST_DAY])
        return date(day // 10_000, day // 100 % 100, day % 100) if day else None

    def __iter__(self) -> Iterator[Batch]:
        n_read = self._window.start
        chunks = read_chunks(self._path, self._window, self._max_expansion)
        for block in LineBlocks(_BLOCK_BYTES, kernel.MAX_LINE_BYTES).of(chunks, self._window):
            if not self._has_room_for(block):
                yield from self._flush()
            n_lines = self.lines
            self._read(block)
            self._advance(min(block.n_read, self._window.end) - n_read, self.lines - n_lines)
            n_read = min(block.n_read, self._window.end)
            self._check_that_this_is_a_dump()
        yield from self._flush()
        self.ignored.update({reason: int(n) for reason, n in zip(kernel.IGNORED, self._ignored, strict=True) if n})

    def _has_room_for(self, block: Block) -> bool:
        n_facts, n_about = self._counts[kernel.N_FACTS], self._counts[kernel.N_ABOUT]
        n_text = max(self._facts.text_end[n_facts], self._facts.lang_end[n_facts], self._about.text_end[n_about])
        n_rows = max(n_facts, n_about) + block.n_bytes // _LEAST_ROW_BYTES + 1
        return bool(n_rows <= _BATCH_ROWS and n_text + block.n_bytes <= _BATCH_TEXT_BYTES)

    def _flush(self) -> Iterator[Batch]:
        """Yield what was found so far. The room for it is used again, so the batches are copies."""
        n_facts, n_about = int(self._counts[kernel.N_FACTS]), int(self._counts[kernel.N_ABOUT])
        self._n_about_before += n_about - int(self._counts[kernel.N_TYPES])
        self._counts[[kernel.N_FACTS, kernel.N_ABOUT, kernel.N_TYPES]] = 0
        if n_facts:
            yield Batch("facts", self._facts.batch(n_facts))
        if n_about:
            yield Batch("about", self._about.batch(n_about))

    def _read(self, block: Block) -> None:
        """Read a block: a line that the kernel leaves alone is put into the usual form and given to it again."""
        odd, refused = self._run_kernel(block)
        for start, number in refused:
            self._refuse(kernel.REFUSED[number], block.line(start), block.piece_of(start))
        lines = ((block.line(start), block.piece_of(start)) for start in odd)
        if rewritten := [(usual, line, piece) for line, piece in lines if (usual := self._in_usual_form(line, piece))]:
            self._read_rewritten(rewritten)
        # In the order of the file, whoever refused them.
        for piece, reason, line in sorted(self._refusals, key=lambda refusal: refusal[0].position):
            self._rejects.add(reason, line[:1000].decode("utf-8", "backslashreplace"), f"{piece.stream}+{piece.offset}")
        self._refusals.clear()

    def _read_rewritten(self, lines: list[tuple[bytes, bytes, Piece]]) -> None:
        """Read lines in their usual form; what is refused is shown in its own."""
        starts = np.cumsum([0, *(len(usual) for usual, _, _ in lines)]).tolist()
        pieces = [piece._replace(start=start) for start, (_, _, piece) in zip(starts, lines, strict=False)]
        originals = {start: (line, piece) for start, (_, line, piece) in zip(starts, lines, strict=False)}
        n_lines = self.lines
        odd, refused = self._run_kernel(Block.of_lines([usual for usual, _, _ in lines], pieces))
        self._counts[kernel.N_LINES] = n_lines
        for start, (usual, line, piece) in zip(starts, lines, strict=False):
            if start in odd:
                self._refuse(_TOO_LONG if len(usual) > kernel.MAX_LINE_BYTES else "not N-Triples", line, piece)
        for start, code in refused:
            self._refuse(kernel.REFUSED[code], *originals[start])

    def _run_kernel(self, block: Block) -> tuple[list[int], list[tuple[int, int]]]:
        """Return where the lines begin that were left alone, and those that were refused with the reason."""
        if len(self._odd) < block.n_bytes:
            self._odd = np.empty(block.n_bytes, np.int64)
            self._refused = np.empty((block.n_bytes, 2), np.int64)
        self._counts[[kernel.N_ODD, kernel.N_REFUSED]] = 0
        data = np.frombuffer(block.data, np.uint8)
        kernel.read_block(
            data,
            words_of(data),
            block.n_bytes,
            np.array(block.pieces, np.int64),
            self._lang,
            self._asked,
            self._facts,
            self._about,
            self._odd,
            self._refused,
            self._ignored,
            self._counts,
            self._terms,
        )
        refused: list[list[int]] = self._refused[: self._counts[kernel.N_REFUSED]].tolist()
        return self._odd[: self._counts[kernel.N_ODD]].tolist(), [(start, reason) for start, reason in refused]

    def _in_usual_form(self, line: bytes, piece: Piece) -> bytes | None:
        """Return the line as Wikidata would write it; None if it says nothing or is refused."""
        if len(line) > kernel.MAX_LINE_BYTES:
            self._refuse(_TOO_LONG, line, piece)
            return None
        said = line.lstrip(b" \t\r")
        if not said or said.startswith(b"#"):
            self.ignored["blank line or comment"] += 1
            return None
        if not is_utf8(line):
            self._refuse("not UTF-8", line, piece)
            return None
        triple = parse_line(line)
        if triple is None:
            self._refuse("not N-Triples", line, piece)
            return None
        if isinstance(triple.object, ox.Triple):
            self._refuse("a statement about a statement", line, piece)
            return None
        subject = _UNKNOWN_VALUE if isinstance(triple.subject, ox.BlankNode) else triple.subject
        usual = ox.Triple(subject, triple.predicate, _usual(triple.object))
        return ox.serialize([usual], format=ox.RdfFormat.N_TRIPLES)

    def _refuse(self, reason: str, line: bytes, piece: Piece) -> None:
        self._refusals.append((piece, reason, line))

    def _check_that_this_is_a_dump(self) -> None:
        if self.lines >= _LINES_BEFORE_GIVING_UP and self._rejects.total == self.lines:
            raise SourceFormatError(
                f"{self._path} holds no N-Triples: its first {self.lines:,} lines were all refused"
                f" ({self._rejects.example}). Nothing was staged."
            )


def _usual(term: ox.NamedNode | ox.BlankNode | ox.Literal) -> ox.NamedNode | ox.Literal:
    """Name a blank node as Wikidata does nowadays: it stands for an unknown value. A text loses its direction."""
    if isinstance(term, ox.BlankNode):
        return _UNKNOWN_VALUE
    if isinstance(term, ox.Literal) and term.direction:
        return ox.Literal(term.value, language=term.language)
    return term
