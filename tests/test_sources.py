"""One contract for all sources: what they yield, how it is staged, that it can be asked."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from factmill.facts import Kind, Role
from factmill.home import Home
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.project import load_source, source_names
from factmill.sparql_server import sparql_server
from factmill.stage import StageResult, stage_dbpedia, stage_imdb, stage_wikidata
from factmill.steps import augment, resolve_template
from factmill.templates import catalogue
from tests.conftest import ROOT

DEMO = ROOT / "demo"
Staging = Callable[[Home], StageResult]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with sparql_server(DEMO / "dbpedia.ttl") as url:
        yield url


@pytest.fixture(params=["wikidata", "dbpedia", "imdb"])
def staging(request: pytest.FixtureRequest, endpoint: str) -> Staging:
    predicates = [shard for shard in catalogue() if shard.source == "dbpedia"]
    stagings: dict[str, Staging] = {
        "wikidata": lambda home: stage_wikidata(home, DEMO / "wikidata.nt.gz", "en"),
        "dbpedia": lambda home: stage_dbpedia(home, endpoint, predicates, "en"),
        "imdb": lambda home: stage_imdb(home, DEMO / "imdb", "en"),
    }
    return stagings[str(request.param)]


def test_the_three_sources_are_there() -> None:
    assert source_names() == ["dbpedia", "imdb", "wikidata"]
    for name in source_names():
        source = load_source(name)
        assert source.INFO.name == name
        licence = {"wikidata": "CC0-1.0", "dbpedia": "CC-BY-SA", "imdb": "non-commercial"}[name]
        assert licence in source.INFO.licence
        assert licence in str(source.__doc__)


def test_a_snapshot_keeps_the_contract(staging: Staging, home: Home) -> None:
    stage = staging(home).stage
    ids = stage.manifest.ids
    facts = pq.read_table(stage.facts)
    entities = pq.read_table(stage.entities)
    assert facts.schema.names == ids.fact_schema().names
    assert facts.schema.field("subject").type == entities.schema.field("id").type == ids.entity_type
    assert facts.num_rows == stage.manifest.facts == sum(stage.manifest.facts_by_kind.values()) > 0
    assert entities.num_rows == stage.manifest.entities
    for row in facts.to_pylist():
        assert (row["object"] is None) != (row["value"] is None)
        assert (row["kind"] == Kind.ENTITY) == (row["object"] is not None)
        assert row["place"]
    keys = entities["id"].to_pylist()
    assert keys == sorted(set(keys))
    order = [(row["predicate"], row["subject"]) for row in facts.to_pylist()]
    assert order == sorted(order)


def test_staging_again_is_a_no_op_and_two_homes_agree(staging: Staging, home: Home, tmp_path: Path) -> None:
    first = staging(home)
    assert (first.is_new, staging(home).is_new) == (True, False)
    other = staging(Home.open(tmp_path / "other", create=True)).stage
    assert other.manifest.snapshot == first.stage.manifest.snapshot
    for table in ("facts", "entities"):
        assert pq.read_table(getattr(other, table)).equals(pq.read_table(getattr(first.stage, table)))


def test_roles_are_known_to_the_entity_table() -> None:
    text = (ROOT / "sql" / "staged_entities.sql").read_text()
    assert all(f"'{role}'" in text for role in Role)


def test_a_character_is_part_of_the_question(home: Home) -> None:
    stage_imdb(home, DEMO / "imdb", "en")
    result = augment(home, resolve_template(ShardName("imdb", "plays_character_in"), None))
    assert result.version is not None
    from factmill.corpus import Corpus

    rows = {
        row["question"]: row for row in Corpus(home).latest().rows(ShardName("imdb", "plays_character_in")).to_pylist()
    }
    dude = rows['who plays jeffrey "the dude" lebowski in the big lebowski']
    assert (dude["answer"], dude["subject"], dude["licence"]) == (["Jeff Bridges"], "tt0118715", "IMDb non-commercial")
    assert dude["places"][0].startswith("title.principals/tt0118715/")


def test_a_stage_of_the_demo_dump_is_what_its_tables_say() -> None:
    import gzip
    import importlib.util

    spec = importlib.util.spec_from_file_location("build_dump", DEMO / "build_dump.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with gzip.open(DEMO / "wikidata.nt.gz", "rt", encoding="utf-8") as file:
        assert file.read().splitlines() == module.dump_lines(DEMO)


def test_the_current_snapshot_is_the_last_one_staged(home: Home, tmp_path: Path, dump: Path) -> None:
    demo = stage_wikidata(home, DEMO / "wikidata.nt.gz", "en").stage
    small = stage_wikidata(home, dump, "en").stage
    assert Stage.current(home, "wikidata").folder == small.folder
    stage_wikidata(home, DEMO / "wikidata.nt.gz", "en")
    assert Stage.current(home, "wikidata").folder == demo.folder


def test_an_endpoint_gives_what_a_slow_reader_finds_in_its_file(home: Home, endpoint: str) -> None:
    """rdflib reads the Turtle file that the server was loaded with; both must know the same facts."""
    from rdflib import Graph, URIRef

    prefixes = {"dbo": "http://dbpedia.org/ontology/", "dbp": "http://dbpedia.org/property/"}
    shards = [shard for shard in catalogue() if shard.source == "dbpedia"]
    from sources._dbpedia_names import entity_id

    graph = Graph().parse(DEMO / "dbpedia.ttl")
    expected = set()
    for shard in shards:
        prefix, _, name = shard.predicate.partition(":")
        for subject, value in graph.subject_objects(URIRef(prefixes[prefix] + name)):
            text = entity_id(str(value)) if isinstance(value, URIRef) else str(value)
            expected.add((shard.predicate, entity_id(str(subject)), text))
    staged = pq.read_table(stage_dbpedia(home, endpoint, shards, "en").stage.facts).to_pylist()
    assert {(row["predicate"], row["subject"], row["object"] or row["value"]) for row in staged} == expected
    assert len(staged) == len(expected)
