"""DBpedia's dump files give the same facts as an endpoint, and every line is accounted for."""

import bz2
import gzip
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks.dbpedia_graph import write_graph
from factmill.errors import ConfigError, SourceError, SourceFormatError, SourceIncomplete
from factmill.home import Home
from factmill.names import ShardName
from factmill.sparql_server import sparql_server
from factmill.stage import stage_dbpedia, stage_dbpedia_files
from tests.conftest import ROOT

SHARDS = [ShardName("dbpedia", name) for name in ("dbo:artist", "dbo:author", "dbo:measure", "dbp:founded", "dbp:odd")]
ARTIST = SHARDS[0]
FACT = "<http://dbpedia.org/resource/A> <http://dbpedia.org/ontology/artist> <http://dbpedia.org/resource/B> ."


def _facts(folder: Path) -> list[str]:
    return sorted(map(str, pq.read_table(folder).drop_columns(["place"]).to_pylist()))


def _write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_files_and_an_endpoint_give_the_same(home: Home, tmp_path: Path) -> None:
    graph = tmp_path / "graph.nt"
    write_graph(graph)
    # As DBpedia does it: names in a file of their own, under the name of Turtle.
    is_label = [b"rdf-schema#label" in line for line in graph.read_bytes().splitlines()]
    lines = list(zip(is_label, graph.read_bytes().splitlines(keepends=True), strict=True))
    facts, labels = tmp_path / "facts_lang=en.ttl.bz2", tmp_path / "labels_lang=en.nt.gz"
    facts.write_bytes(bz2.compress(b"# started\n" + b"".join(line for is_name, line in lines if not is_name)))
    labels.write_bytes(gzip.compress(b"".join(line for is_name, line in lines if is_name)))
    from_files = stage_dbpedia_files(home, [facts, labels], SHARDS, "en").stage
    with sparql_server(graph) as url:
        from_endpoint = stage_dbpedia(home, url, SHARDS, "en", abstracts=True).stage
    assert _facts(from_files.facts) == _facts(from_endpoint.facts)
    # Objects have types and abstracts in a dump; an endpoint is not asked for them.
    columns = ["id", "label", "aliases", "wikipedia_title", "same_as", "n_statements", "in_degree", "popularity"]
    assert pq.read_table(from_files.entities, columns=columns).equals(
        pq.read_table(from_endpoint.entities, columns=columns)
    )


def test_real_turtle_is_read_as_such(home: Home) -> None:
    shards = [ShardName("dbpedia", "dbo:artist"), ShardName("dbpedia", "dbp:founded")]
    turtle = ROOT / "demo" / "dbpedia.ttl"
    from_file = stage_dbpedia_files(home, [turtle], shards, "en").stage
    with sparql_server(turtle) as url:
        from_endpoint = stage_dbpedia(home, url, shards, "en").stage
    assert _facts(from_file.facts) == _facts(from_endpoint.facts)


def test_every_line_is_accounted_for(home: Home, tmp_path: Path) -> None:
    file = _write(
        tmp_path / "d.ttl",
        "# started 2022-12-01",
        FACT,
        "",
        FACT.replace("artist", "other"),
        FACT.replace("resource/A>", "resource/A"),
        "<http://dbpedia.org/resource/A> <http://dbpedia.org/ontology/artist> _:b0 .",
        "_:b1 <http://dbpedia.org/ontology/artist> <http://dbpedia.org/resource/B> .",
        '<http://dbpedia.org/resource/A> <http://www.w3.org/2000/01/rdf-schema#label> "A"@en .',
        '<http://dbpedia.org/resource/A> <http://www.w3.org/2000/01/rdf-schema#label> "Ä"@de .',
        '<http://dbpedia.org/resource/A> <http://dbpedia.org/ontology/artist> "half a line',
        "rubbish",
    )
    result = stage_dbpedia_files(home, [file], [ARTIST], "en")
    manifest = result.stage.manifest
    assert (manifest.lines, manifest.facts) == (11, 1)
    assert manifest.ignored == {
        "a name in another language": 1,
        "a property that was not asked for": 1,
        "blank line or comment": 2,
    }
    assert manifest.rejected == {"a blank node": 2, "not N-Triples": 3}
    (place,) = pq.read_table(result.stage.facts)["place"].to_pylist()
    assert place == f"d.ttl:0+{len('# started 2022-12-01') + 1}"


def test_a_fact_of_two_files_is_one_and_a_predicate_of_none_is_told(home: Home, tmp_path: Path) -> None:
    mark = "\ufeff"
    files = [_write(tmp_path / "a.nt", mark + FACT, FACT), _write(tmp_path / "b.nt", FACT)]
    manifest = stage_dbpedia_files(home, files, SHARDS[:2], "en").stage.manifest
    assert (manifest.facts, manifest.lines, manifest.rejected) == (1, 3, {})
    assert manifest.ignored == {"a fact that is said elsewhere too": 2, "dbo:author has no facts": 1}


def test_values_that_are_all_refused_are_still_n_triples(home: Home, tmp_path: Path) -> None:
    value = '<http://dbpedia.org/resource/A{}> <http://dbpedia.org/property/founded> "{}"@en .'
    lines = [value.format(number, "TBA") for number in range(60_000)]
    file = _write(tmp_path / "d.nt", *lines, value.format("x", "1999"))
    manifest = stage_dbpedia_files(home, [file], [ShardName("dbpedia", "dbp:founded")], "en").stage.manifest
    assert (manifest.facts, manifest.rejected) == (1, {"infobox value: says that nothing is known": 60_000})


def test_a_file_that_changes_while_it_is_read_is_an_error(home: Home, tmp_path: Path) -> None:
    file = _write(tmp_path / "d.nt", *[FACT] * 300_000)

    def append() -> None:
        time.sleep(0.3)
        with file.open("a") as opened:
            opened.write(FACT.replace("resource/A", "resource/C") + "\n")

    writer = threading.Thread(target=append)
    writer.start()
    with pytest.raises(SourceIncomplete, match="changed while it was read"):
        stage_dbpedia_files(home, [file], [ARTIST], "en")
    writer.join()


def test_only_what_occurs_in_facts_is_kept(home: Home, tmp_path: Path) -> None:
    label = '<http://dbpedia.org/resource/{}> <http://www.w3.org/2000/01/rdf-schema#label> "{}"@en .'
    file = _write(tmp_path / "d.nt", FACT, *(label.format(name, name) for name in "ABCDEF"))
    stage = stage_dbpedia_files(home, [file], [ARTIST], "en").stage
    assert pq.read_table(stage.entities)["id"].to_pylist() == ["dbr:A", "dbr:B"]


def test_the_same_files_again_are_recognised_but_other_predicates_are_not(home: Home, tmp_path: Path) -> None:
    file = _write(tmp_path / "d.nt", FACT, FACT.replace("artist", "author"))
    first = stage_dbpedia_files(home, [file], [ARTIST], "en")
    assert (first.is_new, stage_dbpedia_files(home, [file], [ARTIST], "en").is_new) == (True, False)
    both = stage_dbpedia_files(home, [file], SHARDS[:2], "en")
    assert (both.is_new, both.stage.manifest.facts) == (True, 2)
    assert not stage_dbpedia_files(home, [file, file], SHARDS[:2], "en").is_new
    assert not stage_dbpedia_files(home, [tmp_path], SHARDS[:2], "en").is_new


def test_a_folder_without_dump_files_is_an_error(home: Home, tmp_path: Path) -> None:
    (tmp_path / "dumps").mkdir()
    with pytest.raises(ConfigError, match=r"holds no .*files, packed or not"):
        stage_dbpedia_files(home, [tmp_path / "dumps"], [ARTIST], "en")


def test_a_damaged_file_stages_nothing(home: Home, tmp_path: Path) -> None:
    packed = bz2.compress((FACT + "\n").encode() * 1000)
    troubles: list[tuple[str, bytes, type[SourceError], str]] = [
        ("cut.nt.bz2", packed[:-20], SourceIncomplete, "ends inside a bzip2 stream"),
        ("html.nt.gz", b"<html></html>", SourceFormatError, "is not a gzip file"),
        ("page.nt", b"<html>\n" * 2000, SourceFormatError, "holds no N-Triples"),
        ("broken.ttl", b"@prefix a: <http://a/> .\na:b a:c", SourceFormatError, "is not valid Turtle"),
        ("empty.nt", b"", SourceFormatError, "is empty"),
        ("other.nt", FACT.replace("artist", "x").encode(), SourceFormatError, "holds no facts of dbpedia/dbo:artist"),
    ]
    for name, content, error, message in troubles:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(error, match=message):
            stage_dbpedia_files(home, [tmp_path / name], [ARTIST], "en")


def test_lines_that_are_not_valid_do_not_stop_the_real_films(home: Home, shared: Path) -> None:
    files = [shared / "dbpedia" / "films.nt.gz", shared / "dbpedia" / "films_large.nt.gz"]
    starring = ShardName("dbpedia", "dbo:starring")
    manifest = stage_dbpedia_files(home, files, [starring], "en").stage.manifest
    lines = [line for file in files for line in gzip.decompress(file.read_bytes()).splitlines()]
    n_lines, n_facts = len(lines), sum(b"dbpedia.org/ontology/starring>" in line for line in lines)
    n_again = manifest.ignored["a fact that is said elsewhere too"]
    assert (manifest.lines, manifest.facts + n_again, manifest.rejected) == (n_lines, n_facts, {})
