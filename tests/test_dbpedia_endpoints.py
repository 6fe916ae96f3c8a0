"""An answer from an endpoint is complete or an error."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from factmill.errors import SourceFormatError, SourceIncomplete, SourceUnavailable
from factmill.home import Home
from factmill.manifest import staged_sources
from factmill.names import ShardName
from factmill.project import load_source
from factmill.sparql_server import free_port, sparql_server

ARTIST = ShardName("dbpedia", "dbo:artist")
PATTERN = "?key <http://dbpedia.org/ontology/artist> ?value"
dbpedia = load_source("dbpedia")


@pytest.fixture(scope="module")
def songs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real endpoint with 250 facts about 100 songs, awkward names, languages and types among them."""
    lines = []
    for number in range(100):
        song = f"<http://dbpedia.org/resource/Song_{number:03}>"
        values = [f"<http://dbpedia.org/resource/Singer_{number % 7}>", '"Plain"', '"Plain"@en'][: 1 + number % 3]
        lines += [f"{song} <http://dbpedia.org/ontology/artist> {value} ." for value in values]
    odd = "<http://dbpedia.org/resource/It's_(Odd)_\\u00E9>"
    lines += [f'{odd} <http://dbpedia.org/ontology/artist> "{n}" .' for n in range(51)]
    path = tmp_path_factory.mktemp("songs") / "songs.nt"
    path.write_text("\n".join(lines) + "\n")
    with sparql_server(path) as url:
        yield url


@pytest.mark.parametrize("page_rows", [52, 53, 60, 100, 249, 250, 251, 10_000])
def test_paging_gives_every_row_once_whatever_the_page_size(songs: str, page_rows: int) -> None:
    rows = list(dbpedia.Endpoint(songs, page_rows=page_rows).pairs(PATTERN))
    assert len(rows) == 250
    assert len({json.dumps(row, sort_keys=True) for row in rows}) == 250


def test_a_key_with_more_values_than_a_page_is_an_error(songs: str) -> None:
    with pytest.raises(SourceIncomplete, match=r"has over 51 values"):
        list(dbpedia.Endpoint(songs, page_rows=51).pairs(PATTERN))


Answer = Callable[[str], Response]


def _results(rows: Sequence[object], **headers: str) -> Response:
    body = {"head": {"vars": []}, "results": {"bindings": rows}}
    return Response(json.dumps(body), content_type="application/sparql-results+json", headers=headers)


def _count(n: int) -> Response:
    return _results([{"n": {"type": "literal", "value": str(n)}}])


def _rows(n: int) -> list[dict[str, dict[str, str]]]:
    return [
        {
            "key": {"type": "uri", "value": f"http://dbpedia.org/resource/S{number:05}"},
            "value": {"type": "literal", "value": "x"},
        }
        for number in range(n)
    ]


def _serve(server: HTTPServer, answer: Answer) -> Any:
    def handle(request: Request) -> Response:
        return answer(parse_qs(request.get_data(as_text=True))["query"][0])

    server.expect_request("/sparql").respond_with_handler(handle)
    return dbpedia.Endpoint(server.url_for("/sparql"), wait_seconds=0)


def test_a_cap_without_a_word_is_found_out_by_the_count(httpserver: HTTPServer) -> None:
    endpoint = _serve(httpserver, lambda query: _count(900) if "COUNT" in query else _results(_rows(500)))
    with pytest.raises(SourceIncomplete, match="counts 900 rows, its pages held 500"):
        list(endpoint.pairs(PATTERN))


def test_a_cap_that_is_told_becomes_the_page_size(httpserver: HTTPServer) -> None:
    rows = _rows(1_200)

    def answer(query: str) -> Response:
        if "COUNT" in query:
            return _count(len(rows))
        start = query.split('STR(?key) >= "', 1)[1].split('"', 1)[0] if "FILTER" in query else ""
        page = [row for row in rows if row["key"]["value"] >= start][:500]
        return _results(page, **{"X-SPARQL-MaxRows": "500"})

    assert len(list(_serve(httpserver, answer).pairs(PATTERN))) == 1_200


def test_an_endpoint_that_ignores_where_to_start_is_not_asked_for_ever(httpserver: HTTPServer) -> None:
    rows = _rows(400)
    endpoint = _serve(httpserver, lambda query: _count(400) if "COUNT" in query else _results(rows[:200]))
    endpoint.page_rows = 200
    with pytest.raises(SourceIncomplete, match="counts 400 rows"):
        list(endpoint.pairs(PATTERN))


def test_blank_nodes_are_refused(httpserver: HTTPServer, home: Home) -> None:
    from factmill.stage import stage_dbpedia

    blank = {"key": _rows(1)[0]["key"], "value": {"type": "bnode", "value": "b0"}}
    good = _rows(1)[0]

    def answer(query: str) -> Response:
        facts = "?key <http://dbpedia.org/ontology/artist> ?value" in query
        if "COUNT" in query:
            return _count(2 if facts else 0)
        return _results([blank, good] if facts else [])

    _serve(httpserver, answer)
    manifest = stage_dbpedia(home, httpserver.url_for("/sparql"), [ARTIST], "en").stage.manifest
    assert (manifest.facts, manifest.rejected) == (1, {"a blank node": 1})


def test_rows_in_another_form_are_an_error(httpserver: HTTPServer) -> None:
    endpoint = _serve(httpserver, lambda query: _count(1) if "COUNT" in query else _results([{"key": "x"}]))
    with pytest.raises(SourceFormatError, match="in an unknown form"):
        list(endpoint.pairs(PATTERN))


def test_a_part_of_an_answer_after_a_time_out_is_refused(httpserver: HTTPServer) -> None:
    endpoint = _serve(httpserver, lambda _: _results(_rows(3), **{"X-SQL-State": "S1TAT"}))
    with pytest.raises(SourceUnavailable, match="sent a part of its answer"):
        list(endpoint.pairs(PATTERN))


@pytest.mark.parametrize(
    "response",
    [
        lambda: Response("<html>maintenance</html>", content_type="text/html"),
        lambda: Response('{"results": {"bindings": [', content_type="application/sparql-results+json"),
        lambda: Response("busy", status=503),
        lambda: Response("too many", status=429),
    ],
    ids=["html with status 200", "json cut short", "503", "429"],
)
def test_trouble_at_the_endpoint_is_retried_and_then_reported(
    httpserver: HTTPServer, response: Callable[[], Response]
) -> None:
    asked = []

    def answer(query: str) -> Response:
        asked.append(query)
        return response()

    with pytest.raises(SourceUnavailable):
        list(_serve(httpserver, answer).pairs(PATTERN))
    assert len(asked) == 4


def test_trouble_that_passes_does_no_harm(httpserver: HTTPServer) -> None:
    asked = []

    def answer(query: str) -> Response:
        asked.append(query)
        if len(asked) % 2:
            return Response("busy", status=503)
        return _count(3) if "COUNT" in query else _results(_rows(3))

    assert len(list(_serve(httpserver, answer).pairs(PATTERN))) == 3


def test_a_refused_query_is_not_retried(httpserver: HTTPServer) -> None:
    asked = []

    def answer(query: str) -> Response:
        asked.append(query)
        return Response("bad query", status=400)

    with pytest.raises(SourceFormatError, match="refuses our query"):
        list(_serve(httpserver, answer).pairs(PATTERN))
    assert len(asked) == 1


def test_an_endpoint_that_is_down_stages_nothing(home: Home) -> None:
    from factmill.manifest import Scope
    from factmill.parts import PartSource
    from factmill.snapshot import Input, stage

    endpoint = dbpedia.Endpoint(f"http://127.0.0.1:{free_port()}/sparql", wait_seconds=0)
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        stage(
            home,
            dbpedia.INFO,
            Input("x"),
            Scope("en"),
            [PartSource(lambda rejects, advance: dbpedia.EndpointReader(endpoint, [ARTIST], "en", rejects))],
        )
    assert staged_sources(home) == []
    assert list((home.root / "warehouse").iterdir()) == []


def test_a_predicate_without_facts_stages_nothing(home: Home, songs: str) -> None:
    from factmill.stage import stage_dbpedia

    with pytest.raises(SourceFormatError, match="holds no facts"):
        stage_dbpedia(home, songs, [ShardName("dbpedia", "dbo:nothing")], "en")


def test_a_predicate_of_another_source_is_refused(home: Home, songs: str, tmp_path: Path) -> None:
    from factmill.stage import stage_dbpedia

    with pytest.raises(SourceFormatError, match="is not a DBpedia predicate"):
        stage_dbpedia(home, songs, [ShardName("dbpedia", "artist")], "en")


def test_labels_lose_what_tells_articles_apart() -> None:
    labels = ["Hello (Adele song)", "Hello", "(I Can't Get No) Satisfaction", "Love (Is) (film)", "()", "A ()"]
    assert [dbpedia.plain_label(label) for label in labels] == [
        "Hello",
        "Hello",
        "(I Can't Get No) Satisfaction",
        "Love (Is)",
        "()",
        "A ()",
    ]
