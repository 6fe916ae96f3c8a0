"""What stands behind a pair of DBpedia, of IMDb and of an imported base."""

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

from factmill import steps
from factmill.corpus import Corpus
from factmill.evidence import Evidence, Qualifier, Verdict
from factmill.home import Home
from factmill.importing import import_base
from factmill.names import ShardName
from factmill.sparql_server import sparql_server
from factmill.stage import stage_dbpedia, stage_dbpedia_files, stage_imdb
from factmill.why import Why, why
from tests.conftest import ROOT
from tests.imdb_folders import credit, write_folder

RESOURCE = "http://dbpedia.org/resource/"
ARTIST = ShardName("dbpedia", "dbo:artist")
FOUNDED = ShardName("dbpedia", "dbp:founded")
BASE = ShardName("paq", "base")
COMPANY = (
    f'<{RESOURCE}Acme> <http://www.w3.org/2000/01/rdf-schema#label> "Acme"@en .',
    f'<{RESOURCE}Acme> <http://dbpedia.org/property/founded> "* 1 May 1999\\n* [[Paris]]"@en .',
)


def _mill(home: Home, *shards: str) -> None:
    for shard in shards:
        steps.augment(home, steps.resolve_template(ShardName.parse(shard), None))


def _all(home: Home, *named: Path) -> list[Why]:
    latest = Corpus(home).latest()
    ids = [qa_id for shard in latest.shards() for qa_id in latest.rows(shard, ["qa_id"])["qa_id"].to_pylist()]
    return why(home, ids, named)


def _facts(explained: list[Why]) -> list[Evidence]:
    return [fact for one in explained for fact in one.facts]


# --- DBpedia ---


def test_an_endpoints_row_comes_with_the_question_that_gives_it(home: Home) -> None:
    with sparql_server(ROOT / "demo" / "dbpedia.ttl") as url:
        stage_dbpedia(home, url, [ARTIST], "en")
        _mill(home, str(ARTIST))
    (one,) = why(home, ["who sings hey jude"])
    (found,) = one.facts
    assert (found.file, found.where, found.place) == (
        url,
        "the row of dbr:Hey_Jude and dbo:artist",
        "dbr:Hey_Jude dbo:artist",
    )
    assert found.query == f"SELECT ?value WHERE {{ <{RESOURCE}Hey_Jude> <http://dbpedia.org/ontology/artist> ?value }}"
    assert (found.verdict, found.lines) == (Verdict.STAGED, [])
    unread = "An endpoint is not asked again; the question gives the row."
    assert found.reason == f"{unread} The staged facts of {one.snapshot} hold the fact."
    assert {fact.verdict for fact in _facts(_all(home))} == {Verdict.STAGED}


def test_lines_of_dump_files_are_found_in_the_file_that_holds_them(home: Home, tmp_path: Path) -> None:
    names = [f'<{RESOURCE}{name}> <http://www.w3.org/2000/01/rdf-schema#label> "{name}"@en .' for name in "ABCD"]
    artist = "<http://dbpedia.org/ontology/artist>"
    facts = [f"<{RESOURCE}A> {artist} <{RESOURCE}B> .", f"<{RESOURCE}C>\t{artist}\t<{RESOURCE}D> ."]
    song = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://dbpedia.org/ontology/Song>"
    types = [f"<{RESOURCE}{name}> {song} ." for name in "AC"]
    one, two = tmp_path / "one.ttl", tmp_path / "two:2.nt.gz"
    one.write_text("\ufeff" + "\n".join([facts[0], *names, *types]) + "\n", encoding="utf-8")
    two.write_bytes(gzip.compress(f"# started\n{facts[1]}\n".encode()))
    stage_dbpedia_files(home, [one, two], [ARTIST], "en")
    _mill(home, str(ARTIST))
    found = {(fact.subject, fact.file, fact.lines[0], fact.verdict) for fact in _facts(_all(home))}
    assert found == {
        ("dbr:A", str(one), facts[0], Verdict.STATED),
        ("dbr:C", str(two), facts[1], Verdict.STATED),
    }
    two.unlink()
    verdicts = {(fact.subject, fact.verdict) for fact in _facts(_all(home))}
    assert verdicts == {("dbr:A", Verdict.STATED), ("dbr:C", Verdict.STAGED)}


def test_statements_of_real_turtle_are_found_by_their_number(home: Home) -> None:
    stage_dbpedia_files(home, [ROOT / "demo" / "dbpedia.ttl"], [ARTIST], "en")
    _mill(home, str(ARTIST))
    found = _facts(_all(home))
    assert {fact.verdict for fact in found} == {Verdict.STATED}
    assert f"<{RESOURCE}Hey_Jude> <http://dbpedia.org/ontology/artist> <{RESOURCE}The_Beatles> ." in {
        fact.lines[0] for fact in found
    }


def test_the_raw_text_of_an_infobox_states_the_values_that_are_read_from_it(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "d.nt"
    file.write_text("\n".join(COMPANY) + "\n")
    stage_dbpedia_files(home, [file], [FOUNDED], "en")
    template = tmp_path / "founded.j2"
    template.write_text(f'+++\npredicate = "{FOUNDED}"\nlabel = "founded"\n+++\nwhen was {{{{ subject }}}} founded\n')
    steps.augment(home, steps.resolve_template(FOUNDED, template))
    (one,) = why(home, ["when was acme founded"])
    assert {(fact.object, fact.verdict) for fact in one.facts} == {
        ("1999-05-01", Verdict.STATED),
        ("Paris", Verdict.STATED),
    }
    assert one.facts[0].lines == [COMPANY[1]]


# --- IMDb ---


@pytest.fixture
def imdb(tmp_path: Path) -> Path:
    """A film and a series of three episodes."""
    return write_folder(
        tmp_path / "imdb",
        [
            credit("t1", 1, "n1", "actor", '["Lt. Vincent Hanna (voice)","The Narrator"]'),
            credit("t1", 2, "n2", "director"),
            credit("t3", 4, "n2", "actress", '["Neil"]'),
        ],
        basics=["t1 movie Heat Heat 0 1995", "t2 tvSeries Show Show 0 2001", "t3 tvEpisode One One 0 2001"],
        episode=["t3 t2 1 1", "t4 t2 1 2", "t5 t2 2 1", "t6 t2 \\N \\N"],
    )


def _named(folder: Path, name: str) -> str:
    return str(folder / f"{name}.tsv")


def test_rows_of_imdb_are_found_by_their_ids(home: Home, imdb: Path) -> None:
    stage_imdb(home, imdb, "en")
    _mill(home, *(f"imdb/{name}" for name in ("plays_character_in", "director", "release_year", "number_of_seasons")))
    explained = {one.question: one for one in _all(home)}
    assert {fact.verdict for one in explained.values() for fact in one.facts} == {Verdict.STATED}

    def only(question: str) -> dict[str, Any]:
        (fact,) = explained[question].facts
        return {"subject": fact.subject, "object": fact.object, "file": fact.file, "lines": fact.lines}

    acting = credit("t1", 1, "n1", "actor", '["Lt. Vincent Hanna (voice)","The Narrator"]')
    principals = _named(imdb, "title.principals")
    expected = {"subject": "t1", "object": "n1", "file": principals, "lines": [acting]}
    assert only("who plays the narrator in heat") == expected
    assert only("who directed heat") == expected | {"object": "n2", "lines": [credit("t1", 2, "n2", "director")]}
    assert only("when did heat come out") == {
        "subject": "t1",
        "object": "1995",
        "file": _named(imdb, "title.basics"),
        "lines": ["t1\tmovie\tHeat\tHeat\t0\t1995\t\\N\t\\N\t\\N"],
    }


def test_a_credit_of_an_episode_is_one_of_its_series(home: Home, imdb: Path) -> None:
    stage_imdb(home, imdb, "en")
    _mill(home, "imdb/plays_character_in")
    (one,) = why(home, ["who plays neil in show"])
    (fact,) = one.facts
    assert (fact.subject, fact.where, fact.verdict) == ("t2", "t3, n2, ordering 4", Verdict.STATED)
    assert fact.qualifiers == [Qualifier("character", "Neil", None)]


def test_seasons_are_counted_again(home: Home, imdb: Path) -> None:
    stage_imdb(home, imdb, "en")
    _mill(home, "imdb/number_of_seasons", "imdb/number_of_episodes")
    found = {(fact.predicate, fact.object, fact.where, len(fact.lines), fact.verdict) for fact in _facts(_all(home))}
    assert found == {
        ("number_of_seasons", "2", "3 rows of t2 in 2 seasons", 3, Verdict.STATED),
        ("number_of_episodes", "3", "3 rows of t2 in 2 seasons", 3, Verdict.STATED),
    }


def test_the_files_of_the_next_day_are_not_read_for_a_pair_of_the_day_before(home: Home, imdb: Path) -> None:
    stage_imdb(home, imdb, "en")
    _mill(home, "imdb/director")
    file = imdb / "title.principals.tsv"
    file.write_text(file.read_text() + credit("t9", 1, "n1", "director") + "\n")
    found = _facts(_all(home))
    assert {fact.verdict for fact in found} == {Verdict.STAGED}
    assert all(f"{file} is not the file that was staged" in fact.reason for fact in found)


@pytest.mark.parametrize("is_sorted", [True, False])
@pytest.mark.parametrize("n_asked", [10, 1_000])
def test_rows_are_found_in_files_of_any_order(home: Home, tmp_path: Path, *, is_sorted: bool, n_asked: int) -> None:
    numbers = [f"t{number}" for number in range(1000, 3000)]
    rows = [credit(title, 1, "n1", "director") for title in numbers]
    if not is_sorted:
        random.Random(1).shuffle(rows)
    folder = write_folder(
        tmp_path / "imdb", rows, basics=[f"{title} movie Film_{title} Film_{title} 0 1995" for title in numbers]
    )
    for file in folder.iterdir():
        (folder / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    stage_imdb(home, folder, "en")
    _mill(home, "imdb/director")
    ids = Corpus(home).latest().rows(ShardName("imdb", "director"), ["qa_id"])["qa_id"].to_pylist()
    found = why(home, random.Random(2).sample(ids, n_asked))
    assert [one.verdict for one in found] == [Verdict.STATED] * n_asked
    assert {(one.subject, one.facts[0].lines[0].split("\t")[0]) for one in found} == {
        (one.subject, one.subject) for one in found
    }


# --- A base ---


def test_a_base_pair_leads_back_to_its_line(home: Home, tmp_path: Path) -> None:
    lines = ['{"question": "who wrote emma", "answer": ["Jane Austen"]}', "", '{"question": "why", "answer": ["so"]}']
    file = tmp_path / "base.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode()))
    import_base(home, file, BASE, "CC0-1.0")
    (one,) = why(home, ["why"])
    (fact,) = one.facts
    assert (fact.where, fact.verdict, fact.lines) == ("line 3", Verdict.UNKNOWN, [])
    assert fact.reason == f"Name the file whose SHA-256 begins with {one.snapshot} with --dump to see the line."
    (one,) = why(home, ["why"], [file])
    assert [(fact.file, fact.verdict, fact.lines) for fact in one.facts] == [(str(file), Verdict.STATED, lines[2:])]
    other = tmp_path / "other.jsonl"
    other.write_text(lines[0] + "\n")
    (one,) = why(home, ["why"], [other])
    assert one.facts[0].verdict is Verdict.UNKNOWN
    assert one.facts[0].reason.startswith(f"{other} is not the file that was imported")
