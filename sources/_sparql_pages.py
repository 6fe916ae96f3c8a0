"""All rows of a pattern from an endpoint, page by page: every row once, or an error.

A page begins at a key, not at an offset: offsets skip and repeat rows while others change, and Virtuoso refuses them
beyond 10,000. A page that is not the last ends with a key that may be incomplete, so the next page begins with that key
again. A COUNT before the first page says how many rows there are. As long as they are not all there, a short page is a
page that was cut, whatever the headers say.

Each page is kept in a file, so that a run that was interrupted goes on after the last one.
"""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyoxigraph as ox
from pydantic import BaseModel, ConfigDict, ValidationError

from factmill.errors import SourceFormatError, SourceIncomplete
from factmill.home import write_atomically
from sources._sparql import DUMPS_INSTEAD, Cells, Endpoint, Term, TooManyRows

_NEXT_STEP = "Nothing was staged; try again later, or with another endpoint."


# Virtuoso writes numbers into its answers with six digits, and booleans as 0 and 1, but their text is as it should be.
_WRITTEN = "IF(isLiteral(?value), STR(?value), '')"


class Row(NamedTuple):
    """A subject and what a pattern says of it."""

    key: Term
    value: Term


class _KeptPage(BaseModel):
    """A page on disk."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n_expected: int
    start: str
    rows: list[Row]
    next_key: str | None
    """Where the next page begins; None where there is none."""


class Pages:
    """The pages of one endpoint, kept below a folder."""

    def __init__(self, endpoint: Endpoint, folder: Path) -> None:
        self._endpoint = endpoint
        self._folder = folder

    def count(self, pattern: str) -> int:
        """Count the rows that a pattern has now."""
        query = f"SELECT (COUNT(*) AS ?n) WHERE {{ SELECT DISTINCT ?key ?value WHERE {{ {pattern} }} }}"
        try:
            return int(self._endpoint.ask(query)[0]["n"].value)
        except (IndexError, KeyError, ValueError) as error:
            raise SourceFormatError(f"{self._endpoint.url} does not answer a COUNT with a number.") from error

    def of(self, pattern: str) -> Iterator[list[Row]]:
        """Yield every distinct (?key, ?value) of a pattern, a page at a time, all values of a key together."""
        folder = self._folder / hashlib.sha256(pattern.encode()).hexdigest()[:16]
        try:
            yield from self._pages(pattern, folder)
        except SourceIncomplete:
            # Whatever was read, something of it is wrong.
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _pages(self, pattern: str, folder: Path) -> Iterator[list[Row]]:
        n_expected = self.count(pattern)
        self._forget_unless_the_same(pattern, folder, n_expected)
        folder.mkdir(parents=True, exist_ok=True)
        n_seen = n_pages = 0
        next_key: str | None = ""
        keys: set[str] = set()
        while next_key is not None and n_expected:
            file = folder / f"{n_pages:06}.json"
            page = _kept(file, n_expected, next_key)
            if page is None:
                page = self._fetch(pattern, next_key, n_expected, n_expected - n_seen)
                write_atomically(file, page.model_dump_json())
            self._check_new(page.rows, keys)
            yield page.rows
            n_seen, n_pages, next_key = n_seen + len(page.rows), n_pages + 1, page.next_key
        # A single page is of one moment.
        if n_pages > 1 and (n_now := self.count(pattern)) != n_expected:
            raise SourceIncomplete(
                f"{self._endpoint.url} had {n_expected:,} rows and now has {n_now:,}: they changed while they were"
                f" read. {_NEXT_STEP}"
            )

    def _forget_unless_the_same(self, pattern: str, folder: Path, n_expected: int) -> None:
        """Ask the last page that is kept again: if it differs, the endpoint has other data by now."""
        last: _KeptPage | None = None
        for file in sorted(folder.glob("*.json")):
            page = _kept(file, n_expected, last.next_key if last else "")
            if page is None:
                break
            last = page
        if last:
            keys = {row.key.value for row in last.rows}
            now = {row for row in self._page(pattern, last.start) if row.key.value in keys}
            if now != set(last.rows):
                shutil.rmtree(folder)

    def _fetch(self, pattern: str, start: str, n_expected: int, n_missing: int) -> _KeptPage:
        """Ask for the page that begins at a key; leave out the key at its end that may go on."""
        found = self._page(pattern, start)
        if len(set(found)) < len(found):
            raise SourceIncomplete(f"{self._endpoint.url} sent a row twice. {_NEXT_STEP}")
        if len(found) == n_missing:
            return _KeptPage(n_expected=n_expected, start=start, rows=found, next_key=None)
        last = found[-1].key.value if found else start
        whole = [row for row in found if row.key.value != last]
        if len(found) > n_missing or (not whole and len(found) < self._endpoint.page_rows):
            raise SourceIncomplete(
                f"{self._endpoint.url} counts {n_expected:,} rows, its pages held"
                f" {n_expected - n_missing + len(found):,}. {_NEXT_STEP}"
            )
        if not whole:
            raise SourceIncomplete(
                f"{self._endpoint.url}: {last} has over {len(found):,} values, more than it sends. Nothing was staged."
                f" {DUMPS_INSTEAD}"
            )
        return _KeptPage(n_expected=n_expected, start=start, rows=whole, next_key=last)

    def _page(self, pattern: str, start: str) -> list[Row]:
        # As the text of an IRI, because Virtuoso compares a text from a query wrongly beyond ASCII. The library writes
        # the literal: whatever the endpoint called a key cannot leave its quotes.
        after = f"FILTER(STR(?key) >= STR(IRI({ox.Literal(start)})))" if start else ""
        while True:
            n_rows = self._endpoint.page_rows
            try:
                cells = self._endpoint.ask(
                    f"SELECT DISTINCT ?key ?value ({_WRITTEN} AS ?written) WHERE {{ {pattern} {after} }}"
                    f" ORDER BY STR(?key) LIMIT {n_rows}"
                )
            except TooManyRows as refusal:
                if not 0 < refusal.limit < n_rows:
                    raise
                self._endpoint.page_rows = refusal.limit
            else:
                return [self._row(row) for row in cells]

    def _row(self, cells: Cells) -> Row:
        try:
            key, value = cells["key"], cells["value"]
            return Row(key, value._replace(value=cells["written"].value) if value.type == "literal" else value)
        except KeyError as error:
            raise SourceFormatError(f"{self._endpoint.url} answered with a row that lacks {error}.") from error

    def _check_new(self, rows: list[Row], keys: set[str]) -> None:
        """Make sure that no key comes a second time: a row that is there twice may hide one that is missing."""
        new = {row.key.value for row in rows}
        if again := keys & new:
            raise SourceIncomplete(
                f"{self._endpoint.url} sent {min(again)[:200]} on two pages: it does not begin where it is told to, or"
                f" its rows changed while they were read. {_NEXT_STEP}"
            )
        keys |= new


def _kept(file: Path, n_expected: int, start: str | None) -> _KeptPage | None:
    """Return a page that an earlier run has kept, if it begins here and there were as many rows then as now."""
    try:
        page = _KeptPage.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None
    return page if (page.n_expected, page.start) == (n_expected, start) else None
