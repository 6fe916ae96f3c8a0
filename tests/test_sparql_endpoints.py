"""One question to an endpoint: a whole answer, or an error that says what to do."""

import json
import time
from collections.abc import Callable

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from factmill import __version__
from factmill.errors import ConfigError, SourceFormatError, SourceUnavailable
from factmill.settings import settings
from factmill.sparql_server import free_port
from sources._sparql import Endpoint, Term, TooManyRows

QUERY = "SELECT ?x WHERE { ?x ?y ?z }"
ROW = {"x": {"type": "uri", "value": "http://dbpedia.org/resource/Hello"}}


def _results(*rows: object, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"head": {"vars": []}, "results": {"bindings": rows}})
    return Response(body, content_type="application/sparql-results+json", headers=named)


class Server:
    """Gives one answer after the other, the last one for ever, and remembers the questions."""

    def __init__(self, server: HTTPServer) -> None:
        self.requests: list[Request] = []
        self._answers: list[Callable[[], Response]] = []
        server.expect_request("/sparql").respond_with_handler(self._handle)
        self.url = server.url_for("/sparql")

    def answers(self, *answers: Callable[[], Response]) -> Endpoint:
        self._answers = list(answers)
        return Endpoint(self.url, wait_seconds=0)

    def _handle(self, request: Request) -> Response:
        request.get_data()
        self.requests.append(request)
        return self._answers[min(len(self.requests), len(self._answers)) - 1]()


@pytest.fixture
def server(httpserver: HTTPServer) -> Server:
    return Server(httpserver)


def test_a_question_names_the_project_and_allows_no_time_out(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTMILL_CONTACT", "me@example.org")
    settings.cache_clear()
    assert server.answers(lambda: _results(ROW)).ask(QUERY) == [{"x": Term("uri", "http://dbpedia.org/resource/Hello")}]
    (request,) = server.requests
    assert request.headers["User-Agent"] == f"factmill/{__version__} (me@example.org)"
    assert (request.method, request.form["query"], request.form["timeout"]) == ("POST", QUERY, "0")
    settings.cache_clear()


def test_terms_keep_language_and_type(server: Server) -> None:
    cells = [
        {"type": "literal", "value": "a", "xml:lang": "en"},
        {"type": "typed-literal", "value": "5", "datatype": "http://www.w3.org/2001/XMLSchema#integer"},
        {"type": "bnode", "value": "b0"},
    ]
    endpoint = server.answers(lambda: _results(*({"x": cell} for cell in cells)))
    assert [row["x"] for row in endpoint.ask(QUERY)] == [
        Term("literal", "a", lang="en"),
        Term("literal", "5", "http://www.w3.org/2001/XMLSchema#integer"),
        Term("bnode", "b0"),
    ]


TROUBLES: dict[str, Callable[[], Response]] = {
    "html with status 200": lambda: Response("<html>maintenance</html>", content_type="text/html"),
    "json cut short": lambda: Response('{"results": {"bindings": [', content_type="application/sparql-results+json"),
    "brackets without end": lambda: Response("[" * 100_000, content_type="application/sparql-results+json"),
    "503": lambda: Response("busy", status=503),
    "502": lambda: Response("bad gateway", status=502),
    "429": lambda: Response("too many", status=429),
    "500": lambda: Response("Virtuoso S1T00 Error SR171: Transaction timed out", status=500),
    "206": lambda: Response('{"results": {"bindings": []}}', status=206),
    "a part after a time-out": lambda: _results(ROW, X_SQL_State="S1TAT"),
}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES.keys())
def test_trouble_is_tried_again_and_then_reported(server: Server, trouble: Callable[[], Response]) -> None:
    with pytest.raises(SourceUnavailable, match=server.url):
        server.answers(trouble).ask(QUERY)
    assert len(server.requests) == settings().sparql_attempts


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES.keys())
def test_trouble_that_passes_does_no_harm(server: Server, trouble: Callable[[], Response]) -> None:
    assert len(server.answers(trouble, trouble, lambda: _results(ROW)).ask(QUERY)) == 1


def test_the_wait_that_is_asked_for_is_kept_and_told(server: Server) -> None:
    told: list[str] = []
    server.answers(lambda: Response("slow down", status=429, headers={"Retry-After": "1"}), lambda: _results(ROW))
    started = time.monotonic()
    Endpoint(server.url, wait_seconds=0, tell=told.append).ask(QUERY)
    assert time.monotonic() - started >= 1
    assert told == [
        f"{server.url} answers 429: TOO MANY REQUESTS and asks to wait 1 s. Trying again in 1 s.",
    ]


def test_an_endpoint_that_asks_for_hours_is_not_waited_for(server: Server) -> None:
    endpoint = server.answers(lambda: Response("later", status=503, headers={"Retry-After": "7200"}))
    with pytest.raises(SourceUnavailable, match="asks to wait 7,200 s") as caught:
        endpoint.ask(QUERY)
    assert (caught.value.wait_seconds, len(server.requests)) == (7200, 1)


def test_questions_keep_a_distance(server: Server) -> None:
    server.answers(lambda: _results(ROW))
    endpoint = Endpoint(server.url, requests_per_second=10)
    started = time.monotonic()
    for _ in range(4):
        endpoint.ask(QUERY)
    assert time.monotonic() - started >= 0.3


PERMANENT: dict[str, tuple[Callable[[], Response], type[Exception], str]] = {
    "400": (lambda: Response("bad query", status=400), SourceFormatError, "refuses our query: bad query"),
    "404": (lambda: Response("no", status=404), ConfigError, "answers 404: no. Check the address"),
    "401": (lambda: Response("no", status=401), ConfigError, "answers 401: no. Check the address"),
    "too costly": (
        lambda: Response("Virtuoso 42000 Error The estimated execution time 5667 (sec) exceeds the limit", status=500),
        SourceFormatError,
        "Stage DBpedia's dump files instead",
    ),
    "sorts less": (
        lambda: Response("Virtuoso 22023 Error SR353: Sorted TOP clause … Only 500 are allowed.", status=500),
        TooManyRows,
        "Only 500 are allowed",
    ),
    "another form": (lambda: _results({"x": "text"}), SourceFormatError, "in an unknown form"),
    "a number as value": (lambda: _results({"x": {"type": "uri", "value": 5}}), SourceFormatError, "unknown form"),
    "half a character": (
        lambda: _results({"x": {"type": "uri", "value": "\ud800"}}),
        SourceFormatError,
        "unknown form",
    ),
    "204": (lambda: Response(status=204), SourceFormatError, "answers 204, which is no answer"),
    "no rows": (lambda: Response('{"results": {"bindings": 7}}'), SourceFormatError, "unknown form"),
}


@pytest.mark.parametrize(("answer", "error", "message"), PERMANENT.values(), ids=PERMANENT.keys())
def test_what_will_not_pass_is_not_tried_again(
    server: Server, answer: Callable[[], Response], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        server.answers(answer).ask(QUERY)
    assert len(server.requests) == 1


def test_the_row_limit_is_learned_from_the_header(server: Server) -> None:
    endpoint = server.answers(lambda: _results(ROW, X_SPARQL_MaxRows="500"))
    assert endpoint.page_rows == 10_000
    endpoint.ask(QUERY)
    assert endpoint.page_rows == 500


def test_an_endpoint_that_is_down_is_an_error() -> None:
    endpoint = Endpoint(f"http://127.0.0.1:{free_port()}/sparql", attempts=2, wait_seconds=0)
    with pytest.raises(SourceUnavailable, match="cannot be reached or broke off"):
        endpoint.ask(QUERY)


def test_an_endpoint_that_has_moved_is_named(httpserver: HTTPServer) -> None:
    for status in (301, 302, 303, 307, 308):
        httpserver.clear()
        moved = Response(status=status, headers={"Location": httpserver.url_for("/new")})
        httpserver.expect_request("/sparql").respond_with_response(moved)
        httpserver.expect_request("/new").respond_with_response(_results())
        with pytest.raises(ConfigError, match=r"redirects to .*/new. Give that as the address"):
            Endpoint(httpserver.url_for("/sparql"), attempts=1).ask(QUERY)


BAD = ["file:///etc/passwd", "dbpedia.org/sparql", "http://", "", "http://[::1", "http://host:abc/", "http://a b/c"]


@pytest.mark.parametrize("url", BAD)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="is no SPARQL endpoint"):
        Endpoint(url)
