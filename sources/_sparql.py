"""A SPARQL endpoint that is asked one question at a time, and not trusted to say when it leaves something out.

Virtuoso, which serves DBpedia, answers with status 200 when it cuts an answer at its row limit or when its time is up;
only headers tell. So both headers are looked at on every answer, and every way it can fail is one of our errors.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from email.message import Message
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit, urlunsplit

from SPARQLWrapper import JSON, POST, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import SPARQLWrapperException

from factmill import __version__
from factmill.errors import ConfigError, SourceError, SourceFormatError, SourceUnavailable
from factmill.patience import Patience, asked_wait_seconds
from factmill.settings import settings

_MAX_ANSWER_BYTES = 1 << 30
_MAX_ANSWER_SECONDS = 600
_READ_BYTES = 1 << 20
_MAY_PASS = (408, 425, 429)
_SORT_LIMIT = re.compile(r"SR353\b.*?\bOnly (\d{1,9}) are allowed", re.DOTALL)
_TOO_COSTLY = re.compile(r"estimated execution time .{0,40} exceeds the limit")
DUMPS_INSTEAD = "Stage DBpedia's dump files instead, or ask another endpoint; see docs/dbpedia.md."


class Term(NamedTuple):
    """What stands in a cell of an answer: an `uri`, a `bnode` or a `literal`."""

    type: str
    value: str
    datatype: str = ""
    lang: str = ""


Cells = dict[str, Term]


class TooManyRows(SourceFormatError):
    """The endpoint does not sort as many rows as were asked for."""

    def __init__(self, message: str, limit: int) -> None:
        super().__init__(message)
        self.limit = limit


class Endpoint:
    """Asks, waits and tries again; learns how many rows it can get at once."""

    def __init__(
        self,
        url: str,
        *,
        page_rows: int = 10_000,
        timeout_seconds: int = 150,
        attempts: int | None = None,
        wait_seconds: float = 1,
        requests_per_second: float | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.url, self._credentials = _address(url)
        self.page_rows = page_rows
        self._timeout_seconds = timeout_seconds
        self._patience = Patience(attempts or settings().sparql_attempts, wait_seconds, tell)
        rate = settings().sparql_requests_per_second if requests_per_second is None else requests_per_second
        is_own = requests_per_second is None and _is_on_this_machine(url)
        self._seconds_between = 0.0 if is_own or not rate else 1 / rate
        self._next_at = 0.0

    def ask(self, query: str) -> list[Cells]:
        """Return the whole answer to a question."""
        return self._patience(lambda: self._ask_once(query))

    def _ask_once(self, query: str) -> list[Cells]:
        self._wait_for_turn()
        client = SPARQLWrapper(self.url, agent=_agent())
        client.setMethod(POST)
        client.setReturnFormat(JSON)
        client.setTimeout(self._timeout_seconds)
        # Without a time-out of its own an endpoint gives all of an answer or none.
        client.addParameter("timeout", "0")
        client.setQuery(query)
        if self._credentials:
            client.setCredentials(*self._credentials)
        try:
            with _closing_refusals(), closing(client.query().response) as response:
                self._check_that_nobody_else_answers(response.url)
                headers, status = response.headers, response.status
                text = _read(response)
        except (SPARQLWrapperException, HTTPError) as error:
            raise self._refusal(error) from error
        except (OSError, HTTPException) as error:
            raise SourceUnavailable(f"{self.url} cannot be reached or broke off: {_reason(error)}.") from error
        self._check_that_it_is_whole(status, headers)
        return self._cells(text)

    def _wait_for_turn(self) -> None:
        """Leave the endpoint some time between two questions."""
        now = time.monotonic()
        if self._next_at > now:
            time.sleep(self._next_at - now)
        self._next_at = max(now, self._next_at) + self._seconds_between

    def _check_that_nobody_else_answers(self, address: str) -> None:
        """A redirect makes urllib forget the question."""
        if address.partition("?")[0] != self.url.partition("?")[0]:
            raise ConfigError(f"{self.url} redirects to {address[:200]}. Give that as the address of the endpoint.")

    def _check_that_it_is_whole(self, status: int, headers: Message) -> None:
        state = headers.get("X-SQL-State", "")
        if status not in (200, 206):
            raise SourceFormatError(f"{self.url} answers {status}, which is no answer. Check the address.")
        if status == 206 or state:
            detail = " ".join(filter(None, (str(status), state, headers.get("X-SQL-Message", "")[:100])))
            raise SourceUnavailable(f"{self.url} ran out of time and sent a part of its answer ({detail}).")
        limit = headers.get("X-SPARQL-MaxRows", "")
        if limit.isascii() and limit.isdigit() and int(limit) > 0:
            self.page_rows = min(self.page_rows, int(limit))

    def _refusal(self, error: Exception) -> SourceError | ConfigError:
        """Say what a refusal means for the user."""
        refusal = _http_error(error)
        status = refusal.code if refusal else 0
        said = _server_text(error)
        what = f"{self.url} answers {status}" + (f": {said[:200]}" if said else "")
        if found := _SORT_LIMIT.search(said):
            return TooManyRows(f"{what}.", int(found[1]))
        if _TOO_COSTLY.search(said):
            return SourceFormatError(f"{what}. {DUMPS_INSTEAD}")
        if status in _MAY_PASS or status >= 500:
            wait_seconds = asked_wait_seconds(refusal.headers.get("Retry-After", "")) if refusal else 0.0
            asks = f" and asks to wait {wait_seconds:,.0f} s" if wait_seconds else ""
            return SourceUnavailable(f"{what}{asks}.", wait_seconds)
        if status == 400:
            return SourceFormatError(f"{self.url} refuses our query: {said[:200]}")
        if refusal and (target := refusal.headers.get("Location")):
            return ConfigError(f"{self.url} redirects to {target[:200]}. Give that as the address of the endpoint.")
        return ConfigError(f"{what}. Check the address of the SPARQL endpoint.")

    def _cells(self, text: bytes) -> list[Cells]:
        try:
            rows = json.loads(text)["results"]["bindings"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            beginning = text[:60].decode("utf-8", "replace")
            raise SourceUnavailable(f"{self.url} answered with something else than results: {beginning!r}.") from error
        try:
            return [{name: _term(cell) for name, cell in row.items()} for row in rows]
        except (TypeError, KeyError, AttributeError, UnicodeEncodeError) as error:
            raise SourceFormatError(f"{self.url} answered with results in an unknown form.") from error


def _term(cell: dict[str, Any]) -> Term:
    kind = "literal" if cell["type"] == "typed-literal" else cell["type"]
    term = Term(kind, cell["value"], cell.get("datatype", ""), cell.get("xml:lang", ""))
    if not all(isinstance(part, str) for part in term):
        raise TypeError("a part of a term is no text")
    # JSON can hold halves of characters, which nothing else can.
    term.value.encode()
    return term


def _address(text: str) -> tuple[str, tuple[str, str] | None]:
    """Take an address apart: without user name and password it may be printed and kept.

    >>> _address("https://me:secret@example.org/sparql")
    ('https://example.org/sparql', ('me', 'secret'))
    """
    try:
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"[\s\x00-\x1f\x7f]", text):
            raise ValueError
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        place = host if parts.port is None else f"{host}:{parts.port}"
    except ValueError as error:
        raise ConfigError(
            f"{text.rpartition('@')[2][:100]!r} is no SPARQL endpoint. Its address starts with http:// or https://."
        ) from error
    user = (unquote(parts.username or ""), unquote(parts.password or ""))
    return urlunsplit(parts._replace(netloc=place)), user if any(user) else None


def _read(response: HTTPResponse) -> bytes:
    """Read an answer to its promised end, but no endless one."""
    pieces: list[bytes] = []
    n_bytes = 0
    deadline = time.monotonic() + _MAX_ANSWER_SECONDS
    # What has arrived, however little: a time-out alone would wait for ever for a server that trickles.
    while piece := response.read1(_READ_BYTES):
        pieces.append(piece)
        n_bytes += len(piece)
        if n_bytes > _MAX_ANSWER_BYTES:
            raise HTTPException(f"an answer of over {_MAX_ANSWER_BYTES:,} bytes")
        if time.monotonic() > deadline:
            raise HTTPException(f"an answer that takes over {_MAX_ANSWER_SECONDS} s to arrive")
    # Read in pieces, http.client does not say itself that the connection was cut.
    if response.length:
        raise HTTPException(f"{response.length:,} bytes of the answer are missing")
    return b"".join(pieces)


def _agent() -> str:
    """Name the project, and whoever may be written to."""
    contact = settings().contact
    return f"factmill/{__version__}" + (f" ({contact})" if contact else "")


def _is_on_this_machine(url: str) -> bool:
    """Tell whether an endpoint is the user's own, which needs no politeness.

    >>> _is_on_this_machine("http://127.0.0.1:8890/sparql"), _is_on_this_machine("https://dbpedia.org/sparql")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def _closing_refusals() -> Iterator[None]:
    """Close the connection of a refused request, which SPARQLWrapper leaves open behind its own error."""
    try:
        yield
    except Exception as error:
        if refusal := _http_error(error):
            refusal.close()
        raise


def _http_error(error: Exception) -> HTTPError | None:
    """Return the refusal behind an error of SPARQLWrapper's own."""
    found = error if isinstance(error, HTTPError) else error.__context__
    return found if isinstance(found, HTTPError) else None


def _server_text(error: Exception) -> str:
    """Return the first line of what the server said; SPARQLWrapper gives it as Python writes bytes."""
    text = str(error).partition("Response:\n")[2]
    if not text:
        return str(error.reason) if isinstance(error, HTTPError) else ""
    return text.removeprefix("b")[1:-1].partition("\\n")[0].strip()


def _reason(error: BaseException) -> str:
    reason = str(getattr(error, "reason", None) or error).strip()
    return reason.splitlines()[0][:200] if reason else type(error).__name__
