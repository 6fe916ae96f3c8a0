"""DBpedia's statements made into facts and names: the same for an endpoint and for a dump."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from factmill.facts import Batch, IdSpace, Kind, Role, record_batch
from factmill.names import ShardName
from factmill.rejects import Rejects
from sources import _dbpedia_names as names
from sources._first_sentence import first_sentence
from sources._infobox import read_infobox_value
from sources._sparql import Term

_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATE_TYPES = {f"{_XSD}{name}" for name in ("date", "dateTime", "gYear", "gYearMonth")}
_NUMBER_TYPES = {
    f"{_XSD}{name}"
    for name in ("integer", "nonNegativeInteger", "positiveInteger", "int", "long", "decimal", "double", "float")
}
_UNIT_TYPES = "http://dbpedia.org/datatype/"
_TEXT_TYPES = {"", f"{_XSD}string", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"}
_YEAR = re.compile(r"\A(-?)([0-9]{1,3})(?=-|\Z)")
_MAX_DIGITS = 30
_BATCH_ROWS = 200_000


class Statements:
    """Collects statements and gives them on in batches. Afterwards `ignored` tells what was of no use."""

    def __init__(self, predicates: Sequence[ShardName], lang: str, rejects: Rejects) -> None:
        self.ignored: Counter[str] = Counter()
        self.n_entity_facts = self.n_names = 0
        self._lang = lang
        self._rejects = rejects
        self._predicates = {names.predicate_iri(shard): shard.predicate for shard in predicates}
        self._about_makers = {
            names.LABEL: self._label,
            names.TYPE: self._type,
            names.SAME_AS: self._same_as,
            names.ABSTRACT: self._abstract,
            names.SHORT_ABSTRACT: self._abstract,
        }
        self._facts: list[tuple[Any, ...]] = []
        self._about: list[tuple[Any, ...]] = []

    @property
    def properties(self) -> frozenset[str]:
        """Name the properties whose statements are of use."""
        return frozenset(self._predicates) | frozenset(self._about_makers)

    def add(self, prop: str, subject: Term, value: Term, place: str) -> None:
        """Take one statement."""
        if subject.type != "uri" or value.type == "bnode":
            # The name of a blank node means something within one answer or file only.
            self._rejects.add("a blank node", f"{subject.value} {value.value}", place)
            return
        if prop in self._about_makers:
            self._about_makers[prop](subject, value, place)
        # Somebody may want to ask about an abstract as well.
        if prop in self._predicates:
            self._fact(self._predicates[prop], names.entity_id(subject.value), value, place)

    def batches(self, *, is_end: bool = False) -> Iterator[Batch]:
        """Give on what was collected, once it is much or at the end."""
        least = 1 if is_end else _BATCH_ROWS
        if len(self._facts) >= least:
            yield Batch("facts", record_batch(self._facts, IdSpace.TEXT.fact_schema()))
            self._facts = []
        if len(self._about) >= least:
            yield Batch("about", record_batch(self._about, IdSpace.TEXT.about_schema()))
            self._about = []

    def _fact(self, predicate: str, subject: str, value: Term, place: str) -> None:
        if value.type == "uri":
            self._link(predicate, subject, value.value, place)
        elif predicate.startswith("dbp:") and value.datatype in _TEXT_TYPES:
            self._infobox_facts(predicate, subject, value, place)
        else:
            kind = _kind(value.datatype)
            text = _WRITTEN_ALIKE.get(kind, str)(value.value)
            self._facts.append((predicate, subject, None, text, kind.value, value.lang or None, None, place))

    def _link(self, predicate: str, subject: str, iri: str, place: str) -> None:
        if iri.startswith(names.RESOURCE):
            self.n_entity_facts += 1
            self._facts.append((predicate, subject, names.entity_id(iri), None, Kind.ENTITY.value, None, None, place))
        else:
            self._facts.append((predicate, subject, None, iri, Kind.URL.value, None, None, place))

    def _infobox_facts(self, predicate: str, subject: str, value: Term, place: str) -> None:
        """Raw text of an infobox may be one fact, several or none."""
        read = read_infobox_value(value.value)
        for refusal in filter(None, (read.refusal, *read.left_out)):
            self._rejects.add(f"infobox value: {refusal}", value.value, place)
        for found in read.values:
            lang = (value.lang or None) if found.kind is Kind.TEXT else None
            self._facts.append((predicate, subject, None, found.value, found.kind.value, lang, None, place))

    def _say(self, subject: Term, role: Role, text: str) -> None:
        self._about.append((names.entity_id(subject.value), role.value, text, None, 0))

    def _label(self, subject: Term, value: Term, place: str) -> None:
        if value.lang != self._lang:
            self.ignored["a name in another language"] += 1
            return
        self.n_names += 1
        label = names.plain_label(value.value)
        self._say(subject, Role.LABEL, label)
        if label != value.value:
            self._say(subject, Role.ALIAS, value.value)
        if title := names.wikipedia_title(subject.value):
            self._say(subject, Role.TITLE, title)

    def _type(self, subject: Term, value: Term, place: str) -> None:
        if kind := names.type_id(value.value):
            self._say(subject, Role.TYPE, kind)
        else:
            self.ignored["a type of another vocabulary"] += 1

    def _same_as(self, subject: Term, value: Term, place: str) -> None:
        if item := names.wikidata_id(value.value):
            self._say(subject, Role.SAME_AS, item)
        else:
            self.ignored["a link to another place than a Wikidata item"] += 1

    def _abstract(self, subject: Term, value: Term, place: str) -> None:
        # An endpoint sends only the beginning, which has lost its language. Sentences end otherwise in others.
        if self._lang != "en" or value.lang not in ("", "en"):
            self.ignored["an abstract in another language"] += 1
        elif sentence := first_sentence(value.value):
            self._say(subject, Role.DESCRIPTION, sentence)
        else:
            self._rejects.add("an abstract without a whole sentence", value.value, place)


def plain_date(text: str) -> str:
    """Write a year with four digits, as ISO 8601 does.

    >>> plain_date("-044-03-15")
    '-0044-03-15'
    """
    return _YEAR.sub(lambda year: year[1] + year[2].zfill(4), text)


def plain_number(text: str) -> str:
    """Write a number without what says nothing, so that it is the same from a file and from any server.

    >>> plain_number("1234567.0"), plain_number("1.5E3"), plain_number("INF")
    ('1234567', '1500', 'INF')
    """
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return text
    is_short = number.is_finite() and abs(number.adjusted()) <= _MAX_DIGITS and len(text) <= 2 * _MAX_DIGITS
    return format(number.normalize(), "f") if is_short else text


_WRITTEN_ALIKE = {Kind.DATE: plain_date, Kind.QUANTITY: plain_number}


def _kind(datatype: str) -> Kind:
    if datatype in _DATE_TYPES:
        return Kind.DATE
    return Kind.QUANTITY if datatype in _NUMBER_TYPES or datatype.startswith(_UNIT_TYPES) else Kind.TEXT
