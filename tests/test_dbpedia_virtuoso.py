"""A real Virtuoso with the limits of the public endpoint: the row cap, the sort cap, the cost cap, partial results."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pyarrow.parquet as pq
import pyoxigraph as ox
import pytest

from benchmarks import virtuoso
from benchmarks.dbpedia_graph import N_ARTIST_FACTS, write_graph
from benchmarks.hostile_endpoint import hostile_endpoint
from factmill.errors import SourceFormatError, SourceUnavailable
from factmill.home import Home
from factmill.names import ShardName
from factmill.stage import stage_dbpedia
from factmill.steps import augment, resolve_template
from sources._dbpedia_names import entity_id, predicate_iri
from sources._sparql import Endpoint
from sources._sparql_pages import Pages
from tests.conftest import SHARED

FILMS = SHARED / "data" / "dbpedia" / "films_large.nt.gz"
ARTIST = ShardName("dbpedia", "dbo:artist")
ODD = ShardName("dbpedia", "dbp:odd")


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "graph.nt"
    write_graph(path)
    return path


@pytest.fixture(scope="module")
def endpoint(graph: Path) -> Iterator[str]:
    if not virtuoso.is_installed():
        pytest.skip("needs Debian's virtuoso-opensource-7-bin")
    with virtuoso.virtuoso_server([graph, *([FILMS] if FILMS.exists() else [])]) as url:
        yield url


def _stated(file: Path, shard: ShardName) -> set[tuple[str, str]]:
    """Read the facts of a predicate from the file that the endpoint was loaded with."""
    predicate = predicate_iri(shard)
    triples = ox.parse(path=str(file), format=ox.RdfFormat.N_TRIPLES)
    return {
        (entity_id(triple.subject.value), entity_id(triple.object.value))
        for triple in triples
        if triple.predicate.value == predicate
    }


def _asked(url: str, query: str, **parameters: str) -> tuple[int, dict[str, str], bytes]:
    form = urlencode({"query": query, "format": "application/sparql-results+json", **parameters}).encode()
    try:
        with urllib.request.urlopen(url, form) as response:
            return response.status, dict(response.headers), response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def test_the_limits_are_really_there(endpoint: str) -> None:
    everything = f"SELECT ?s ?o WHERE {{ ?s <{predicate_iri(ARTIST)}> ?o }}"
    status, headers, body = _asked(endpoint, everything)
    assert (status, headers["X-SPARQL-MaxRows"]) == (200, "10000")
    assert len(json.loads(body)["results"]["bindings"]) == 10_000
    status, _, body = _asked(endpoint, f"{everything} ORDER BY ?s LIMIT 10000 OFFSET 10000")
    assert status == 500
    assert b"SR353" in body


def test_every_fact_is_staged_once_whatever_the_cap(endpoint: str, graph: Path, home: Home) -> None:
    stage = stage_dbpedia(home, endpoint, [ARTIST], "en").stage
    facts = [(row["subject"], row["object"]) for row in pq.read_table(stage.facts).to_pylist()]
    assert len(facts) == len(set(facts)) == N_ARTIST_FACTS
    assert set(facts) == _stated(graph, ARTIST)
    entities = pq.read_table(stage.entities).to_pylist()
    assert [row["id"] for row in entities if not row["label"]] == []
    assert sum(bool(row["same_as"]) for row in entities) == 2_000


def test_all_starring_facts_of_the_real_films_are_staged(endpoint: str, shared: Path, home: Home) -> None:
    starring = ShardName("dbpedia", "dbo:starring")
    rows = pq.read_table(stage_dbpedia(home, endpoint, [starring], "en").stage.facts).to_pylist()
    facts = [(row["subject"], row["object"]) for row in rows]
    assert len(facts) == len(set(facts)) == 32_286


@pytest.mark.parametrize("page_rows", [20, 33, 100, 10_000])
def test_names_beyond_ascii_do_not_confuse_the_paging(endpoint: str, tmp_path: Path, page_rows: int) -> None:
    pages = Pages(Endpoint(endpoint, page_rows=page_rows), tmp_path)
    rows = [row for page in pages.of(f"?key <{predicate_iri(ODD)}> ?value") for row in page]
    assert len(rows) == len(set(rows)) == 14 * 16


def test_the_sort_limit_is_learned(endpoint: str, tmp_path: Path) -> None:
    asked = Endpoint(endpoint, page_rows=20_000)
    pages = Pages(asked, tmp_path).of(f"?key <{predicate_iri(ARTIST)}> ?value")
    assert sum(map(len, pages)) == N_ARTIST_FACTS
    assert asked.page_rows == 10_000


def test_a_partial_result_is_no_result(endpoint: str) -> None:
    every_pair = f"?a <{predicate_iri(ARTIST)}> ?x . ?b <{predicate_iri(ARTIST)}> ?y FILTER(STR(?a) > STR(?b))"
    query = f"SELECT DISTINCT ?a WHERE {{ {every_pair} }} ORDER BY STR(?a) LIMIT 10000"
    status, headers, _ = _asked(endpoint, query, timeout="1000")
    assert (status, headers["X-SQL-State"]) == (200, "S1TAT")
    # As an endpoint does that has a time-out of its own, whatever it is asked for.
    with hostile_endpoint(endpoint) as impatient:
        impatient.parameters = {"timeout": "1000"}
        with pytest.raises(SourceUnavailable, match=r"sent a part of its answer \(200 S1TAT"):
            Endpoint(impatient.url, attempts=1).ask(query)


def test_a_question_that_takes_too_long_is_an_error(endpoint: str) -> None:
    every_pair = f"?a <{predicate_iri(ARTIST)}> ?x . ?b <{predicate_iri(ARTIST)}> ?y FILTER(STR(?a) > STR(?b))"
    with pytest.raises(SourceUnavailable, match="answers 500: Virtuoso S1T00 Error SR171: Transaction timed out"):
        Endpoint(endpoint, attempts=1).ask(f"SELECT (COUNT(*) AS ?n) WHERE {{ {every_pair} }}")


def test_a_question_that_is_too_costly_points_to_the_dumps(endpoint: str) -> None:
    with pytest.raises(SourceFormatError, match=r"exceeds the limit.*Stage DBpedia's dump files instead"):
        Endpoint(endpoint).ask("SELECT * WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(STR(?d) > STR(?a)) }")


def test_all_predicates_of_the_thesis_work(endpoint: str, home: Home) -> None:
    ontology = ("artist", "author", "country", "formationDate", "numberOfEpisodes", "releaseDate", "writer")
    infobox = ("artist", "firstAired", "founded", "numEpisodes", "numSeasons")
    names = [f"dbo:{name}" for name in ontology] + [f"dbp:{name}" for name in infobox]
    shards = [ShardName("dbpedia", name) for name in names]
    stage_dbpedia(home, endpoint, shards, "en")
    results = [augment(home, resolve_template(shard, None), dry_run=True) for shard in shards]
    assert [str(result.shard) for result in results if not result.n_pairs] == []
