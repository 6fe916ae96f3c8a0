"""DBpedia: the facts of some predicates, from a SPARQL endpoint or from dump files.

Licence CC-BY-SA. The public endpoint cuts an answer at 10,000 rows with status 200 and says so only in a header, so we
page by key, not by offset, and compare the total with a COUNT: what is staged is complete, or it is an error
(sources/_sparql_pages.py). Values of dbp: are raw infobox text (sources/_infobox.py).
"""

from collections import Counter
from collections.abc import Iterator
from datetime import date

import pyoxigraph as ox

from factmill.facts import Batch, IdSpace, SourceInfo
from factmill.names import ShardName
from factmill.progress import Advance
from factmill.rejects import Rejects
from sources import _dbpedia_names as names
from sources._dbpedia_dump import DumpReader
from sources._dbpedia_names import parse_predicate
from sources._dbpedia_places import read_places
from sources._dbpedia_statements import Statements
from sources._first_sentence import MAX_CHARACTERS
from sources._sparql import Endpoint
from sources._sparql_pages import Pages

__all__ = ["INFO", "DumpReader", "Endpoint", "EndpointReader", "Pages", "parse_predicate", "read_places"]

INFO = SourceInfo(name="dbpedia", licence="CC-BY-SA-3.0", ids=IdSpace.TEXT, is_whole=False)

_ABSTRACT_CHARACTERS = MAX_CHARACTERS + 1
"""Enough for a first sentence, and to see whether more follows; whole abstracts would be many times the rest."""


class EndpointReader:
    """Reads one predicate with the names, types and links of what it connects."""

    def __init__(
        self, pages: Pages, shard: ShardName, lang: str, *, abstracts: bool, rejects: Rejects, advance: Advance
    ) -> None:
        self.lines = 0
        self.qualified_lines = 0
        self.as_of: date | None = None
        self._pages = pages
        self._shard = shard
        self._lang = lang
        self._abstracts = abstracts
        self._advance = advance
        self._statements = Statements([shard], lang, rejects)

    @property
    def names(self) -> int:
        """Count the names that were found."""
        return self._statements.n_names

    @property
    def ignored(self) -> Counter[str]:
        """Count what was of no use, by reason."""
        return self._statements.ignored

    def __iter__(self) -> Iterator[Batch]:
        predicate = names.predicate_iri(self._shard)
        yield from self._read(predicate, f"?key <{predicate}> ?value", is_fact=True)
        sides = [f"?key <{predicate}> ?any ."]
        if self._statements.n_entity_facts:
            sides.append(f"?any <{predicate}> ?key .")
        for number, side in enumerate(sides):
            for prop, pattern in self._about_patterns(is_subject=number == 0):
                yield from self._read(prop, f"{side} {pattern}")
        yield from self._statements.batches(is_end=True)

    def _about_patterns(self, *, is_subject: bool) -> Iterator[tuple[str, str]]:
        lang = ox.Literal(self._lang)
        yield names.LABEL, f"?key <{names.LABEL}> ?value FILTER(LANG(?value) = {lang})"
        yield names.SAME_AS, f"?key <{names.SAME_AS}> ?value FILTER(STRSTARTS(STR(?value), '{names.WIKIDATA_ENTITY}'))"
        if is_subject:
            ontology = names.VOCABULARIES["dbo"]
            yield names.TYPE, f"?key <{names.TYPE}> ?value FILTER(STRSTARTS(STR(?value), '{ontology}'))"
        if is_subject and self._abstracts:
            beginning = f"BIND(SUBSTR(STR(?text), 1, {_ABSTRACT_CHARACTERS}) AS ?value)"
            yield names.ABSTRACT, f"?key <{names.ABSTRACT}> ?text FILTER(LANG(?text) = {lang}) {beginning}"

    def _read(self, prop: str, pattern: str, *, is_fact: bool = False) -> Iterator[Batch]:
        for rows in self._pages.of(pattern):
            for row in rows:
                subject = names.entity_id(row.key.value)
                self._statements.add(prop, row.key, row.value, f"{subject} {self._shard.predicate}")
            self.lines += len(rows)
            self._advance(len(rows) if is_fact else 0, len(rows))
            yield from self._statements.batches()
