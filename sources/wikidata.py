"""Wikidata: facts, names and types from a truthy dump in N-Triples (latest-truthy.nt.gz).

Licence CC0-1.0. A truthy dump holds the best-ranked value of each statement, without qualifiers, references or
sitelinks, and its dates have lost their precision. It names a thing three times (rdfs:label, skos:prefLabel and
schema:name always agree), so only the first is kept.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from factmill.dumpfile import Line, read_lines
from factmill.errors import SourceFormatError
from factmill.facts import Batch, IdSpace, Kind, Role, SourceInfo, record_batch
from factmill.ntriples import Triple, is_blank_or_comment, parse_triple
from factmill.rejects import Rejects

INFO = SourceInfo(name="wikidata", licence="CC0-1.0", ids=IdSpace.WIKIDATA, is_whole=True)

_BATCH_ROWS = 100_000
_LINES_BEFORE_GIVING_UP = 1_000

_ITEM = re.compile(r"https?://www\.wikidata\.org/entity/Q([1-9][0-9]{0,11})")
_DIRECT = re.compile(r"https?://www\.wikidata\.org/prop/direct/P([1-9][0-9]{0,8})")
_UNKNOWN_VALUE = re.compile(r"_:.*|https?://www\.wikidata\.org/\.well-known/genid/.*")
_ABOUT_ROLES = {
    "http://www.w3.org/2000/01/rdf-schema#label": Role.LABEL,
    "http://www.w3.org/2004/02/skos/core#altLabel": Role.ALIAS,
    "http://schema.org/description": Role.DESCRIPTION,
}
_INSTANCE_OF = 31
_DATE_MODIFIED = "http://schema.org/dateModified"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_LITERAL_KINDS = {
    f"{_XSD}dateTime": Kind.DATE,
    f"{_XSD}date": Kind.DATE,
    f"{_XSD}decimal": Kind.QUANTITY,
    f"{_XSD}integer": Kind.QUANTITY,
    f"{_XSD}double": Kind.QUANTITY,
    "http://www.opengis.net/ont/geosparql#wktLiteral": Kind.COORDINATE,
    f"{_XSD}string": Kind.TEXT,
    None: Kind.TEXT,
}


class DumpReader:
    """Reads one dump. Afterwards `lines`, `ignored` and `as_of` tell what else was there."""

    def __init__(self, path: Path, lang: str, rejects: Rejects) -> None:
        self.lines = 0
        self.ignored: Counter[str] = Counter()
        self.as_of: date | None = None
        self._path = path
        self._lang = lang
        self._rejects = rejects
        self._facts: list[tuple[Any, ...]] = []
        self._about: list[tuple[Any, ...]] = []

    def __iter__(self) -> Iterator[Batch]:
        bytes_read = 0
        for line, bytes_read in read_lines(self._path):
            self.lines += 1
            self._read(line)
            if len(self._facts) + len(self._about) >= _BATCH_ROWS:
                yield from self._flush(bytes_read)
            if self.lines == _LINES_BEFORE_GIVING_UP and self._rejects.total == self.lines:
                break
        yield from self._flush(bytes_read)
        if self.lines == self._rejects.total:
            if self.lines == 0:
                raise SourceFormatError(f"{self._path} holds no lines. Nothing was staged; fetch the file again.")
            raise SourceFormatError(
                f"{self._path} holds no N-Triples: its first {self.lines:,} lines were all refused"
                f" (see {self._rejects.file}). Nothing was staged."
            )

    def _flush(self, bytes_read: int) -> Iterator[Batch]:
        if self._facts:
            yield Batch("facts", record_batch(self._facts, INFO.ids.fact_schema()), bytes_read)
            self._facts.clear()
        if self._about:
            yield Batch("about", record_batch(self._about, INFO.ids.about_schema()), bytes_read)
            self._about.clear()

    def _read(self, line: Line) -> None:
        """Sort one line into a fact, something about an entity, ignored or refused."""
        try:
            text = line.text.decode("utf-8")
        except UnicodeDecodeError:
            self._refuse("not UTF-8", line)
            return
        triple = parse_triple(text)
        if triple is None:
            if is_blank_or_comment(text):
                self.ignored["blank line or comment"] += 1
            else:
                self._refuse("not N-Triples", line)
            return
        subject = _ITEM.fullmatch(triple.subject)
        if subject is None:
            self._read_other_subject(triple)
        elif direct := _DIRECT.fullmatch(triple.predicate):
            self._read_fact(int(subject[1]), int(direct[1]), triple, line)
        elif role := _ABOUT_ROLES.get(triple.predicate):
            self._read_about(int(subject[1]), role, triple)
        else:
            self.ignored["another predicate"] += 1

    def _read_other_subject(self, triple: Triple) -> None:
        if triple.predicate == _DATE_MODIFIED and triple.literal:
            self._note_modified(triple.literal)
        self.ignored["subject is not an item"] += 1

    def _note_modified(self, text: str) -> None:
        """The dump is as of the last change in it: the same on every machine, unlike a file's time."""
        try:
            modified = date.fromisoformat(text[:10])
        except ValueError:
            return
        self.as_of = max(modified, self.as_of or modified)

    def _read_about(self, subject: int, role: Role, triple: Triple) -> None:
        if triple.literal is None or triple.lang != self._lang:
            self.ignored["another language"] += 1
        else:
            self._about.append((subject, role.value, triple.literal, self.lines))

    def _read_fact(self, subject: int, predicate: int, triple: Triple, line: Line) -> None:
        place = {"member": line.member, "offset": line.offset}
        row: tuple[Any, ...]
        if triple.iri is not None:
            if item := _ITEM.fullmatch(triple.iri):
                if predicate == _INSTANCE_OF:
                    self._about.append((subject, Role.TYPE.value, f"Q{item[1]}", self.lines))
                row = (predicate, subject, int(item[1]), None, Kind.ENTITY.value, None, None, place)
            elif _UNKNOWN_VALUE.fullmatch(triple.iri):
                self._refuse("unknown value", line)
                return
            elif triple.iri.startswith("http://www.wikidata.org/entity/"):
                self.ignored["object is not an item"] += 1
                return
            else:
                row = (predicate, subject, None, triple.iri, Kind.URL.value, None, None, place)
        else:
            kind = Kind.TEXT if triple.lang else _LITERAL_KINDS.get(triple.datatype)
            if kind is None:
                self._refuse("unknown datatype", line)
                return
            row = (predicate, subject, None, triple.literal, kind.value, triple.lang, None, place)
        self._facts.append(row)

    def _refuse(self, reason: str, line: Line) -> None:
        self._rejects.add(reason, line.text.decode("utf-8", "backslashreplace"), f"{line.member}+{line.offset}")
