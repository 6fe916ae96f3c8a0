"""What is staged from an endpoint is complete, or it is an error; an interrupted run goes on where it stopped."""

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks import hostile_endpoint as hostile
from benchmarks.bench_faults import FAULTS, Trials, write_songs
from benchmarks.hostile_endpoint import HostileEndpoint, hostile_endpoint
from factmill.errors import ConfigError, SourceFormatError, SourceIncomplete, SourceUnavailable
from factmill.home import Home
from factmill.manifest import staged_sources
from factmill.names import ShardName
from factmill.project import load_source
from factmill.sparql_server import free_port, sparql_server
from factmill.stage import StageResult, stage_dbpedia
from factmill.workplace import unfinished
from sources._sparql import Endpoint, Term
from sources._sparql_pages import Pages, Row

ARTIST = ShardName("dbpedia", "dbo:artist")
PATTERN = "?key <http://dbpedia.org/ontology/artist> ?value"
N_FACTS = 250


@pytest.fixture(scope="module")
def songs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real endpoint with 250 facts about 101 songs, awkward names, languages and types among them."""
    lines = []
    for number in range(100):
        song = f"<http://dbpedia.org/resource/Song_{number:03}>"
        values = [f"<http://dbpedia.org/resource/Singer_{number % 7}>", '"Plain"', '"Plain"@en'][: 1 + number % 3]
        lines += [f"{song} <http://dbpedia.org/ontology/artist> {value} ." for value in values]
    odd = "<http://dbpedia.org/resource/It's_(Odd)_\\u00E9>"
    lines += [f'{odd} <http://dbpedia.org/ontology/artist> "{n}" .' for n in range(51)]
    lines += [
        f'<http://dbpedia.org/resource/{name}> <http://www.w3.org/2000/01/rdf-schema#label> "{label}"@{lang} .'
        for name, label, lang in [
            ("Song_001", "Hello (Adele song)", "en"),
            ("Song_001", "Hallo", "de"),
            ("Singer_1", "Adele", "en"),
        ]
    ]
    about = "<http://dbpedia.org/resource/Song_001>"
    lines += [
        f"{about} <http://www.w3.org/2002/07/owl#sameAs> <http://www.wikidata.org/entity/Q20> .",
        f"{about} <http://www.w3.org/2002/07/owl#sameAs> <http://yago-knowledge.org/Hello> .",
        f"{about} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://dbpedia.org/ontology/Song> .",
        f"{about} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/MusicRecording> .",
        f'{about} <http://dbpedia.org/ontology/abstract> "Hello is a song by Adele. It came out in 2015."@en .',
        f'{about} <http://dbpedia.org/ontology/abstract> "Hello ist ein Lied."@de .',
    ]
    path = tmp_path_factory.mktemp("songs") / "songs.nt"
    path.write_text("\n".join(lines) + "\n")
    with sparql_server(path) as url:
        yield url


@pytest.fixture
def capped(songs: str) -> Iterator[HostileEndpoint]:
    """The same endpoint, cut at 60 rows."""
    with hostile_endpoint(songs, max_rows=60) as endpoint:
        yield endpoint


def _rows(url: str, folder: Path, page_rows: int = 10_000) -> list[Row]:
    pages = Pages(Endpoint(url, page_rows=page_rows, wait_seconds=0), folder)
    return [row for page in pages.of(PATTERN) for row in page]


def _stage(home: Home, url: str, *, abstracts: bool = False) -> StageResult:
    return stage_dbpedia(home, url, [ARTIST], "en", abstracts=abstracts, wait_seconds=0)


@pytest.mark.parametrize("page_rows", [52, 53, 60, 100, 249, 250, 251, 10_000])
def test_paging_gives_every_row_once_whatever_the_page_size(songs: str, tmp_path: Path, page_rows: int) -> None:
    rows = _rows(songs, tmp_path, page_rows)
    assert (len(rows), len(set(rows))) == (N_FACTS, N_FACTS)


def test_a_key_with_more_values_than_a_page_is_an_error(songs: str, tmp_path: Path) -> None:
    with pytest.raises(SourceIncomplete, match=r"has over 51 values"):
        _rows(songs, tmp_path, page_rows=51)


def test_a_cap_that_is_told_becomes_the_page_size(capped: HostileEndpoint, tmp_path: Path) -> None:
    assert len(set(_rows(capped.url, tmp_path))) == N_FACTS
    assert [query.rpartition("LIMIT ")[2] for query in capped.asked if "LIMIT" in query] == ["10000", *["60"] * 4]


def test_a_cap_without_a_word_is_overcome(songs: str, tmp_path: Path) -> None:
    with hostile_endpoint(songs) as endpoint:
        endpoint.always = lambda answer: answer.with_rows(answer.rows()[:60])
        assert len(set(_rows(endpoint.url, tmp_path))) == N_FACTS


def test_an_endpoint_that_ignores_where_to_start_is_an_error(capped: HostileEndpoint, tmp_path: Path) -> None:
    first: list[hostile.Answer] = []

    def same_page(answer: hostile.Answer) -> hostile.Answer:
        if len(answer.rows()) > 1:
            first.append(answer)
        return first[0] if first else answer

    capped.always = same_page
    with pytest.raises(SourceIncomplete, match="on two pages"):
        _rows(capped.url, tmp_path)


def test_rows_that_never_come_are_an_error(capped: HostileEndpoint, tmp_path: Path) -> None:
    capped.always = lambda answer: answer.with_rows([row for row in answer.rows() if "Song_099" not in str(row)])
    with pytest.raises(SourceIncomplete, match=r"counts 250 rows, its pages held \d+"):
        _rows(capped.url, tmp_path)


def test_a_row_that_comes_twice_is_an_error(capped: HostileEndpoint, tmp_path: Path) -> None:
    capped.faults = {1: lambda answer: answer.with_rows([answer.rows()[0], *answer.rows()[:-1]])}
    with pytest.raises(SourceIncomplete, match="sent a row twice"):
        _rows(capped.url, tmp_path)


def test_a_count_that_is_none_is_an_error(capped: HostileEndpoint, tmp_path: Path) -> None:
    capped.always = lambda answer: answer.with_rows([{"n": {"type": "literal", "value": "many"}}])
    with pytest.raises(SourceFormatError, match="does not answer a COUNT with a number"):
        _rows(capped.url, tmp_path)


def test_what_an_entity_is_comes_with_its_facts(home: Home, songs: str) -> None:
    stage = _stage(home, songs, abstracts=True).stage
    entities = {row["id"]: row for row in pq.read_table(stage.entities).to_pylist()}
    song = entities["dbr:Song_001"]
    assert (song["label"], song["aliases"]) == ("Hello", ["Hello (Adele song)"])
    assert (song["types"], song["same_as"]) == (["dbo:Song"], ["Q20"])
    assert (song["wikipedia_title"], song["description"]) == ("Song 001", "Hello is a song by Adele.")
    assert entities["dbr:Singer_1"]["label"] == "Adele"
    assert (stage.manifest.facts, stage.manifest.ignored, stage.manifest.rejected) == (N_FACTS, {}, {})


def test_abstracts_are_left_alone_unless_they_are_wanted(home: Home, capped: HostileEndpoint) -> None:
    _stage(home, capped.url)
    assert not [query for query in capped.asked if "abstract" in query]


def test_a_blank_node_is_refused(home: Home, songs: str) -> None:
    blank = {"type": "bnode", "value": "b0"}
    with hostile_endpoint(songs) as endpoint:
        endpoint.faults = {
            1: lambda answer: answer.with_rows([answer.rows()[0] | {"value": blank}, *answer.rows()[1:]])
        }
        manifest = _stage(home, endpoint.url).stage.manifest
    assert (manifest.facts, manifest.rejected) == (N_FACTS - 1, {"a blank node": 1})


def test_an_interrupted_run_goes_on_after_its_last_page(home: Home, capped: HostileEndpoint) -> None:
    # The fourth question is the third page.
    capped.faults = dict.fromkeys(range(3, 50), hostile.unavailable)
    with pytest.raises(SourceUnavailable, match="answers 503"):
        _stage(home, capped.url)
    assert (staged_sources(home), len(unfinished(home, "dbpedia"))) == ([], 1)
    first, second = (query.partition("LIMIT")[0] for query in capped.asked[1:3])
    capped.begin()
    assert _stage(home, capped.url).stage.manifest.facts == N_FACTS
    # The last page that was kept is asked again, to see whether it is still the same.
    again = [query.partition("LIMIT")[0] for query in capped.asked]
    assert (again.count(first), again.count(second)) == (0, 1)
    assert unfinished(home, "dbpedia") == []


def test_pages_of_other_data_are_not_used(home: Home, capped: HostileEndpoint) -> None:
    """A new release may have as many rows as the old one."""
    capped.faults = dict.fromkeys(range(3, 50), hostile.unavailable)
    capped.always = lambda answer: answer._replace(body=answer.body.replace(b"/Singer_", b"/Old_singer_"))
    with pytest.raises(SourceUnavailable):
        _stage(home, capped.url)
    capped.begin()
    stage = _stage(home, capped.url).stage
    objects = {row["object"] for row in pq.read_table(stage.facts).to_pylist() if row["object"]}
    assert objects == {f"dbr:Singer_{number}" for number in range(7)}


def test_rows_that_come_while_pages_are_read_are_noticed(tmp_path: Path) -> None:
    """The new row stands before the pages that are still to come, so no page holds it; only the last COUNT tells."""
    facts = write_songs(tmp_path / "songs.nt")
    with (
        sparql_server(tmp_path / "songs.nt", is_writable=True) as upstream,
        hostile_endpoint(upstream, max_rows=25) as endpoint,
    ):
        update = Trials(endpoint, upstream, facts, tmp_path).update
        endpoint.begin()
        endpoint.between = {3: lambda: update(facts, facts | {("Song_00x", "Singer_1")})}
        with pytest.raises(SourceIncomplete, match="had 120 rows and now has 121: they changed while they were read"):
            _rows(endpoint.url, tmp_path / "pages")
        assert list((tmp_path / "pages").iterdir()) == []


def test_one_predicate_that_fails_does_not_cost_the_others(home: Home, capped: HostileEndpoint) -> None:
    shards = [ShardName("dbpedia", "dbo:abstract"), ARTIST]
    too_costly = hostile.Answer(500, {}, b"Virtuoso 42000 Error The estimated execution time 9 (sec) exceeds the limit")
    capped.always = lambda answer: too_costly if "artist" in capped.asked[-1] else answer
    with pytest.raises(SourceFormatError, match="Stage DBpedia's dump files instead"):
        stage_dbpedia(home, capped.url, shards, "en", wait_seconds=0)
    capped.begin()
    stage_dbpedia(home, capped.url, shards, "en", wait_seconds=0)
    assert [query for query in capped.asked if "artist" not in query] == []


def test_a_fact_that_two_values_say_is_one(home: Home, songs: str) -> None:
    shard = ShardName("dbpedia", "dbp:artist")
    texts = ["Ada", "[[Ada]]", "''Ada''", "1,000", "1000"]
    rows = [
        {"key": _uri("A"), "value": {"type": "literal", "value": text}, "written": {"type": "literal", "value": text}}
        for text in texts
    ]
    with hostile_endpoint(songs) as endpoint:
        endpoint.faults = {
            0: lambda answer: answer.with_rows([{"n": {"type": "literal", "value": "5"}}]),
            1: lambda answer: answer.with_rows(rows),
        }
        stage = stage_dbpedia(home, endpoint.url, [shard], "en").stage
    found = [(row["kind"], row["value"]) for row in pq.read_table(stage.facts).to_pylist()]
    assert sorted(found) == [("date", "1000"), ("quantity", "1000"), ("text", "Ada")]
    assert stage.manifest.ignored == {"a fact that is said elsewhere too": 2}
    assert [row["n_statements"] for row in pq.read_table(stage.entities).to_pylist()] == [3]


def _uri(name: str) -> dict[str, str]:
    return {"type": "uri", "value": f"http://dbpedia.org/resource/{name}"}


def test_user_names_and_passwords_are_sent_and_not_kept(home: Home, capped: HostileEndpoint) -> None:
    told: list[str] = []
    url = capped.url.replace("http://", "http://me:secret@")
    capped.faults = {0: hostile.unavailable}
    stage = stage_dbpedia(home, url, [ARTIST], "en", wait_seconds=0, tell=told.append).stage
    assert stage.manifest.input == capped.url
    assert told
    assert "secret" not in str(told) + stage.manifest.model_dump_json()
    assert capped.authorizations == {"Basic bWU6c2VjcmV0"}


def test_a_finished_predicate_is_not_asked_again(home: Home, capped: HostileEndpoint) -> None:
    shards = [ARTIST, ShardName("dbpedia", "dbo:abstract")]
    stage_dbpedia(home, capped.url, [ARTIST], "en")
    n_questions = len(capped.asked)
    capped.begin()
    # In alphabetical order the abstract comes first.
    n_first = len([query for query in _questions_of_a_run(home, capped, shards) if "artist" not in query])
    capped.begin()
    capped.faults = dict.fromkeys(range(n_first, 500), hostile.unavailable)
    other = Home.open(home.root.parent / "other", create=True)
    with pytest.raises(SourceUnavailable):
        stage_dbpedia(other, capped.url, shards, "en", wait_seconds=0)
    capped.begin()
    stage_dbpedia(other, capped.url, shards, "en", wait_seconds=0)
    assert len(capped.asked) == n_questions


def _questions_of_a_run(home: Home, endpoint: HostileEndpoint, shards: list[ShardName]) -> list[str]:
    stage_dbpedia(home, endpoint.url, shards, "en")
    return endpoint.asked


def test_pages_of_another_day_are_not_used(home: Home, capped: HostileEndpoint) -> None:
    capped.faults = dict.fromkeys(range(3, 50), hostile.unavailable)
    with pytest.raises(SourceUnavailable):
        _stage(home, capped.url)
    first_page = capped.asked[1]
    (folder,) = unfinished(home, "dbpedia")
    long_ago = (folder / "begun").stat().st_mtime - 25 * 3600
    os.utime(folder / "begun", (long_ago, long_ago))
    capped.begin()
    _stage(home, capped.url)
    assert first_page in capped.asked


def test_pages_of_another_number_of_rows_are_not_used(home: Home, capped: HostileEndpoint, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    capped.faults = dict.fromkeys(range(3, 50), hostile.unavailable)
    with pytest.raises(SourceUnavailable):
        _rows(capped.url, folder)
    capped.begin()
    # One more row is counted, and it is there, on the first page.
    value = {"type": "literal", "value": "x"}
    more = {"key": _uri("AAA"), "value": value, "written": value}
    count = {"n": {"type": "literal", "value": str(N_FACTS + 1)}}
    capped.always = lambda answer: answer.with_rows([count]) if "n" in answer.rows()[0] else answer
    capped.faults = {1: lambda answer: answer.with_rows([more, *answer.rows()[:59]])}
    rows = _rows(capped.url, folder)
    assert (len(set(rows)), rows[0].key) == (N_FACTS + 1, Term("uri", "http://dbpedia.org/resource/AAA"))


def test_a_damaged_page_is_asked_again(capped: HostileEndpoint, tmp_path: Path) -> None:
    rows = _rows(capped.url, tmp_path)
    (second,) = tmp_path.glob("*/000001.json")
    second.write_text(second.read_text()[:100])
    assert _rows(capped.url, tmp_path) == rows


def test_two_runs_do_not_share_a_folder(home: Home, capped: HostileEndpoint) -> None:
    def run_another() -> None:
        with pytest.raises(ConfigError, match="is being staged by another process"):
            _stage(home, capped.url)

    capped.between = {2: run_another}
    assert _stage(home, capped.url).stage.manifest.facts == N_FACTS


def test_an_endpoint_that_is_down_stages_nothing(home: Home) -> None:
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        _stage(home, f"http://127.0.0.1:{free_port()}/sparql")
    assert staged_sources(home) == []


def test_a_predicate_without_facts_stages_nothing(home: Home, songs: str) -> None:
    with pytest.raises(SourceFormatError, match="holds no facts"):
        stage_dbpedia(home, songs, [ShardName("dbpedia", "dbo:nothing")], "en")


def test_a_predicate_without_facts_among_others_is_told(home: Home, songs: str) -> None:
    manifest = stage_dbpedia(home, songs, [ARTIST, ShardName("dbpedia", "dbo:nothing")], "en").stage.manifest
    assert manifest.ignored == {"dbo:nothing has no facts": 1}


@pytest.mark.parametrize(
    "text", ["artist", "P175", "http://example.org/artist", "dbo:", "dbo:a b", "dbo:a> ?x", "dbr:X"]
)
def test_what_is_no_predicate_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"is not a|is of no vocabulary that we know"):
        load_source("dbpedia").parse_predicate(text)


@pytest.mark.parametrize("what", [*FAULTS, "row changed between pages"])
def test_no_fault_leaves_a_part_behind(tmp_path: Path, what: str) -> None:
    """benchmarks/bench_faults.py does the same 200 times each."""
    import random

    facts = write_songs(tmp_path / "songs.nt")
    with (
        sparql_server(tmp_path / "songs.nt", is_writable=True) as upstream,
        hostile_endpoint(upstream, max_rows=25) as endpoint,
    ):
        trials = Trials(endpoint, upstream, facts, tmp_path)
        chance = random.Random(what)
        for _ in range(4):
            trials.fault(chance, FAULTS[what]) if what in FAULTS else trials.change(chance)


def test_labels_lose_what_tells_articles_apart() -> None:
    from sources._dbpedia_names import plain_label

    labels = ["Hello (Adele song)", "Hello", "(I Can't Get No) Satisfaction", "Love (Is) (film)", "()", "A ()"]
    assert [plain_label(label) for label in labels] == [
        "Hello",
        "Hello",
        "(I Can't Get No) Satisfaction",
        "Love (Is)",
        "()",
        "A ()",
    ]
