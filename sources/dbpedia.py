"""DBpedia: the facts of some predicates, from a SPARQL endpoint.

Licence CC-BY-SA. The public endpoint cuts an answer at 10,000 rows with status 200 and says so only in a header, so we
page by key, not by offset, and compare the total with a COUNT: an answer is complete or an error.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError

import pyoxigraph as ox
from SPARQLWrapper import JSON, POST, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import EndPointInternalError, QueryBadFormed, SPARQLWrapperException
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from factmill import __version__
from factmill.errors import ConfigError, SourceFormatError, SourceIncomplete, SourceUnavailable
from factmill.facts import Batch, IdSpace, Kind, Role, SourceInfo, record_batch
from factmill.names import ShardName
from factmill.rejects import Rejects

INFO = SourceInfo(name="dbpedia", licence="CC-BY-SA-3.0", ids=IdSpace.TEXT, is_whole=False)

_PREFIXES = {"dbo": "http://dbpedia.org/ontology/", "dbp": "http://dbpedia.org/property/"}
_RESOURCE = "http://dbpedia.org/resource/"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATE_TYPES = {f"{_XSD}{name}" for name in ("date", "dateTime", "gYear", "gYearMonth")}
_NUMBER_TYPES = {
    f"{_XSD}{name}" for name in ("integer", "nonNegativeInteger", "positiveInteger", "int", "decimal", "double")
}
_DISAMBIGUATION = re.compile(r"(.*\S) \([^()]+\)")
_ATTEMPTS = 4

Row = dict[str, dict[str, str]]


class Endpoint:
    """A SPARQL endpoint that is not trusted to tell when it leaves something out."""

    def __init__(self, url: str, *, page_rows: int = 10_000, timeout_seconds: int = 120, wait_seconds: int = 1) -> None:
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"{url[:100]!r} is no SPARQL endpoint. Its address starts with http:// or https://.")
        self.url = url
        self.page_rows = page_rows
        self._timeout_seconds = timeout_seconds
        self._wait_seconds = wait_seconds

    def pairs(self, pattern: str) -> Iterator[Row]:
        """Yield every distinct (?key, ?value) of a pattern in the order of its keys.

        A page ends with an incomplete key, which is asked again by the next one. So equal values, languages and types
        cannot confuse the paging, and a key may have at most a page of values.
        """
        expected = self._count(pattern)
        seen = 0
        start = ""
        while True:
            page = self._page(pattern, start)
            whole = page
            if len(page) >= self.page_rows:
                last = page[-1]["key"]["value"]
                whole = [row for row in page if row["key"]["value"] != last]
                if not whole:
                    raise SourceIncomplete(
                        f"{self.url}: {last} has over {self.page_rows:,} values. Nothing was staged."
                    )
                start = last
            yield from whole
            seen += len(whole)
            # An endpoint that ignores where to start would be asked for ever.
            if whole is page or seen > expected:
                break
        if seen != expected:
            raise SourceIncomplete(
                f"{self.url} counts {expected:,} rows, its pages held {seen:,}. Nothing was staged; try again later,"
                " or with another endpoint."
            )

    def _count(self, pattern: str) -> int:
        query = f"SELECT (COUNT(*) AS ?n) WHERE {{ SELECT DISTINCT ?key ?value WHERE {{ {pattern} }} }}"
        try:
            return int(self._ask(query)[0]["n"]["value"])
        except (IndexError, KeyError, ValueError) as error:
            raise SourceFormatError(f"{self.url} does not answer a COUNT with a number.") from error

    def _page(self, pattern: str, start: str) -> list[Row]:
        # The library writes the literal: whatever the endpoint called a key cannot leave its quotes.
        after = f"FILTER(STR(?key) >= {ox.Literal(start)})" if start else ""
        return self._ask(
            f"SELECT DISTINCT ?key ?value WHERE {{ {pattern} {after} }} ORDER BY STR(?key) LIMIT {self.page_rows}"
        )

    def _ask(self, query: str) -> list[Row]:
        attempts = Retrying(
            retry=retry_if_exception_type(SourceUnavailable),
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_exponential(multiplier=self._wait_seconds, max=60),
            reraise=True,
        )
        return attempts(self._ask_once, query)

    def _ask_once(self, query: str) -> list[Row]:
        client = SPARQLWrapper(self.url, agent=f"factmill/{__version__}")
        client.setMethod(POST)
        client.setReturnFormat(JSON)
        client.setTimeout(self._timeout_seconds)
        client.addParameter("timeout", "0")
        client.setQuery(query)
        try:
            with _closing_refusals():
                result = client.query()
            with closing(result.response):
                headers = {name.lower(): value for name, value in result.info().items()}
                text = result.response.read()
        except QueryBadFormed as error:
            raise SourceFormatError(f"{self.url} refuses our query: {_first_line(error)}") from error
        except (EndPointInternalError, HTTPError, URLError, HTTPException, TimeoutError, ConnectionError) as error:
            raise SourceUnavailable(
                f"{self.url} cannot be reached or is in trouble: {_first_line(error)}. Nothing was staged."
            ) from error
        except (SPARQLWrapperException, ValueError) as error:
            raise SourceFormatError(f"{self.url} is no SPARQL endpoint: {_first_line(error)}") from error
        self._check_headers(headers)
        return self._rows(text)

    def _check_headers(self, headers: dict[str, str]) -> None:
        if headers.get("x-sql-state", "").startswith("S1T"):
            raise SourceUnavailable(f"{self.url} ran out of time and sent a part of its answer.")
        limit = headers.get("x-sparql-maxrows", "")
        if limit.isdigit() and int(limit) > 0:
            # The endpoint cuts answers at this length: a page of it is a full page.
            self.page_rows = min(self.page_rows, int(limit))

    def _rows(self, text: bytes) -> list[Row]:
        try:
            rows = json.loads(text)["results"]["bindings"]
        except (ValueError, KeyError, TypeError) as error:
            beginning = text[:60].decode("utf-8", "replace")
            raise SourceUnavailable(f"{self.url} answered with something else than results: {beginning!r}") from error
        if not isinstance(rows, list) or not all(map(_is_row, rows)):
            raise SourceFormatError(f"{self.url} answered with results in an unknown form.")
        return rows


class EndpointReader:
    """Reads some predicates with the labels and types of what they connect."""

    def __init__(self, endpoint: Endpoint, predicates: Sequence[ShardName], lang: str, rejects: Rejects) -> None:
        self.lines = 0
        self.names = self.qualified_lines = 0
        self.ignored: Counter[str] = Counter()
        self.as_of: date | None = None
        self._endpoint = endpoint
        self._predicates = predicates
        self._lang = lang
        self._rejects = rejects

    def __iter__(self) -> Iterator[Batch]:
        for shard in self._predicates:
            predicate = _iri(shard)
            facts = [_fact(shard.predicate, row) for row in self._rows(f"?key <{predicate}> ?value")]
            if facts:
                yield Batch("facts", record_batch(facts, INFO.ids.fact_schema()))
            about = [*self._labels(predicate), *self._types(predicate)]
            if about:
                yield Batch("about", record_batch(about, INFO.ids.about_schema()))

    def _rows(self, pattern: str) -> Iterator[Row]:
        for row in self._endpoint.pairs(pattern):
            self.lines += 1
            if "bnode" in (row["key"]["type"], row["value"]["type"]):
                # The name of a blank node means something within one answer only.
                self._rejects.add("a blank node", row["value"]["value"], row["key"]["value"])
            else:
                yield row

    def _labels(self, predicate: str) -> Iterator[tuple[Any, ...]]:
        connected = f"{{ ?key <{predicate}> ?any }} UNION {{ ?any <{predicate}> ?key }}"
        for row in self._rows(f"{connected} ?key <{_LABEL}> ?value FILTER(LANG(?value) = {ox.Literal(self._lang)})"):
            entity, text = entity_id(row["key"]["value"]), row["value"]["value"]
            label = plain_label(text)
            yield (entity, Role.LABEL.value, label, None, 0)
            if label != text:
                yield (entity, Role.ALIAS.value, text, None, 0)

    def _types(self, predicate: str) -> Iterator[tuple[Any, ...]]:
        for row in self._rows(f"?key <{predicate}> ?any . ?key <{_TYPE}> ?value"):
            if row["value"]["value"].startswith(_PREFIXES["dbo"]):
                kind = "dbo:" + row["value"]["value"].removeprefix(_PREFIXES["dbo"])
                yield (entity_id(row["key"]["value"]), Role.TYPE.value, kind, None, 0)
            else:
                self.ignored["a type of another vocabulary"] += 1


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and all(
        isinstance(cell, dict) and isinstance(cell.get("type"), str) and isinstance(cell.get("value"), str)
        for cell in row.values()
    )


def entity_id(iri: str) -> str:
    """Shorten the address of a resource.

    >>> entity_id("http://dbpedia.org/resource/Hey_Jude")
    'dbr:Hey_Jude'
    """
    return "dbr:" + iri.removeprefix(_RESOURCE) if iri.startswith(_RESOURCE) else iri


def plain_label(label: str) -> str:
    """Cut off what Wikipedia adds to tell two articles of one name apart.

    >>> plain_label("Hello (Adele song)")
    'Hello'
    """
    match = _DISAMBIGUATION.fullmatch(label)
    return match[1] if match else label


def _iri(shard: ShardName) -> str:
    prefix, _, name = shard.predicate.partition(":")
    if prefix not in _PREFIXES or not name:
        raise SourceFormatError(f"{shard} is not a DBpedia predicate. They look like dbpedia/dbo:artist.")
    return _PREFIXES[prefix] + name


def _fact(predicate: str, row: Row) -> tuple[Any, ...]:
    subject, value = entity_id(row["key"]["value"]), row["value"]
    place = f"{subject} {predicate}"
    if value["type"] == "uri" and value["value"].startswith(_RESOURCE):
        return (predicate, subject, entity_id(value["value"]), None, Kind.ENTITY.value, None, None, place)
    kind = Kind.URL if value["type"] == "uri" else _literal_kind(value.get("datatype", ""))
    return (predicate, subject, None, value["value"], kind.value, value.get("xml:lang"), None, place)


def _literal_kind(datatype: str) -> Kind:
    if datatype in _DATE_TYPES:
        return Kind.DATE
    return Kind.QUANTITY if datatype in _NUMBER_TYPES else Kind.TEXT


@contextmanager
def _closing_refusals() -> Iterator[None]:
    """Close the connection of a refused request, which SPARQLWrapper leaves open behind its own error."""
    try:
        yield
    except Exception as error:
        refusal = error if isinstance(error, HTTPError) else error.__context__
        if isinstance(refusal, HTTPError):
            refusal.close()
        raise


def _first_line(error: BaseException) -> str:
    reason = getattr(error, "reason", None) or error
    return str(reason).strip().splitlines()[0][:200] if str(reason).strip() else type(error).__name__
