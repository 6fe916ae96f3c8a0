"""An endpoint that stands in front of a real one and does what that will not do on demand.

It passes questions on and cuts every answer at a row limit, as Virtuoso does. A fault changes what comes back for one
question; `between` changes the real endpoint's data before a question is passed on.
"""

import json
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode


class Answer(NamedTuple):
    """What goes back to the client; of the body only so many bytes, then the connection is closed."""

    status: int
    headers: dict[str, str]
    body: bytes
    n_bytes: int | None = None

    def rows(self) -> list[Any]:
        """Return the rows of the answer."""
        found = json.loads(self.body)["results"]["bindings"]
        return list(found)

    def with_rows(self, rows: list[Any]) -> "Answer":
        """Return an answer with other rows."""
        return self._replace(body=json.dumps({"head": {}, "results": {"bindings": rows}}).encode())


Fault = Callable[[Answer], Answer]


def too_many(answer: Answer) -> Answer:
    """Ask to come back later."""
    return Answer(429, {"Retry-After": "0"}, b"too many requests")


def unavailable(answer: Answer) -> Answer:
    """Be down for maintenance."""
    return Answer(503, {}, b"down for maintenance")


def connection_cut(answer: Answer) -> Answer:
    """Promise the whole answer and close the connection in the middle of it."""
    return answer._replace(n_bytes=len(answer.body) // 2)


def page_of_html(answer: Answer) -> Answer:
    """Send a page for people with status 200."""
    return Answer(200, {"Content-Type": "text/html"}, b"<html><body>DBpedia is busy.</body></html>")


def json_cut_short(answer: Answer) -> Answer:
    """End an answer in its middle, as if that were all."""
    return answer._replace(body=answer.body[: len(answer.body) * 2 // 3])


def cap_without_header(answer: Answer) -> Answer:
    """Leave the last rows out and say nothing."""
    rows = answer.rows()
    return answer.with_rows(rows[: max(1, len(rows) * 2 // 3)])


def partial_result(answer: Answer) -> Answer:
    """Run out of time and send what there is."""
    cut = cap_without_header(answer)
    return cut._replace(headers=cut.headers | {"X-SQL-State": "S1TAT"})


class HostileEndpoint:
    """Answers like the real one, but for the questions that have a fault."""

    def __init__(self, upstream: str, port: int, max_rows: int) -> None:
        self.url = f"http://127.0.0.1:{port}/sparql"
        self.asked: list[str] = []
        self.authorizations: set[str] = set()
        self.faults: dict[int, Fault] = {}
        """By the number of the question, from 0."""
        self.always: Fault | None = None
        self.between: dict[int, Callable[[], None]] = {}
        self.parameters: dict[str, str] = {}
        """Sent to the real endpoint instead of what the client sends."""
        self._upstream = upstream
        self._max_rows = max_rows
        self._last_page: list[Any] = []
        self.n_spoiled = 0

    def begin(self) -> None:
        """Forget what was asked and what should go wrong."""
        self.asked, self.faults, self.between, self.always = [], {}, {}, None
        self._last_page = []
        self.n_spoiled = 0

    def answer(self, body: bytes, authorization: str) -> Answer:
        """Pass a question on and spoil the answer if that is its turn."""
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()} | self.parameters
        number = len(self.asked)
        self.asked.append(form["query"])
        self.authorizations.add(authorization)
        if change := self.between.get(number):
            change()
        answer = self._capped(self._forward(form))
        fault = self.faults.get(number, self.always)
        spoiled = fault(answer) if fault else answer
        self.n_spoiled += spoiled != answer
        if "COUNT" not in form["query"] and answer.status == 200:
            self._last_page = answer.rows()
        return spoiled

    def rows_of_the_page_before(self, answer: Answer) -> Answer:
        """Send rows a second time in place of as many others, so that the number of rows is right."""
        is_first = "STR(?key) >=" not in self.asked[-1]
        rows, before = answer.rows(), [] if is_first else self._last_page
        n_again = min(3, len(rows) // 2, len(before))
        return answer.with_rows(before[:n_again] + rows[: len(rows) - n_again]) if n_again else answer

    def _forward(self, form: dict[str, str]) -> Answer:
        request = urllib.request.Request(
            self._upstream,
            urlencode({"timeout": form.get("timeout", "0"), "query": form["query"]}).encode(),
            {"Accept": "application/sparql-results+json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                kept = {name: value for name, value in response.headers.items() if name.startswith("X-S")}
                return Answer(response.status, kept, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, {}, error.read())

    def _capped(self, answer: Answer) -> Answer:
        if answer.status != 200 or len(rows := answer.rows()) < self._max_rows:
            return answer
        headers = answer.headers | {"X-SPARQL-MaxRows": str(self._max_rows)}
        return answer.with_rows(rows[: self._max_rows])._replace(headers=headers)


@contextmanager
def hostile_endpoint(upstream: str, max_rows: int = 10_000) -> Iterator[HostileEndpoint]:
    """Stand in front of an endpoint while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = hostile.answer(body, self.headers.get("Authorization", ""))
            self.send_response(answer.status)
            headers = {"Content-Type": "application/sparql-results+json"} | answer.headers
            for name, value in (headers | {"Content-Length": str(len(answer.body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body[: answer.n_bytes])
            self.close_connection = answer.n_bytes is not None

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            # A client that goes away is no error of the server.
            if not isinstance(sys.exception(), ConnectionError):
                super().handle_error(request, client_address)

    with Server(("127.0.0.1", 0), Handler) as server:
        hostile = HostileEndpoint(upstream, server.server_address[1], max_rows)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005})
        thread.start()
        try:
            yield hostile
        finally:
            server.shutdown()
            thread.join()
