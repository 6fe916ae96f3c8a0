"""What a truthy dump lacks, from a second file: qualifiers, sitelinks, titles."""

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from factmill.home import Home
from factmill.manifest import Stage
from factmill.names import PropertyId, ShardName
from factmill.stage import stage_wikidata
from factmill.steps import augment, plan_all, resolve_template
from tests.conftest import Outcome
from tests.dumps import ENTITY, XSD, fact, name, write_dump

PROP = "http://www.wikidata.org/prop"
ONTOLOGY = "http://wikiba.se/ontology#"
CAST = PropertyId(161)
CHARACTER = ShardName("wikidata", "P161", "character")

TRUTHY = [
    name("Q1", "Heat"),
    name("Q2", "Al Pacino"),
    name("Q3", "Vincent Hanna"),
    name("Q4", "Robert De Niro"),
    name("Q5", "Neil McCauley"),
    name("Q6", "Somebody"),
    fact("Q1", "P161", "Q2"),
    fact("Q1", "P161", "Q4"),
    fact("Q1", "P161", "Q6"),
]


def _statement(key: str, value: str, *qualifiers: str, best: bool = True) -> list[str]:
    """The lines of a statement as Wikidata writes them."""
    iri = f"<{ENTITY}statement/{key}>"
    rank = [f"{iri} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{ONTOLOGY}BestRank> ."] if best else []
    return [
        f"<{ENTITY}{key.split('-')[0]}> <{PROP}/P161> {iri} .",
        *rank,
        f"{iri} <{ONTOLOGY}rank> <{ONTOLOGY}NormalRank> .",
        f"{iri} <{PROP}/statement/P161> {value} .",
        *(f"{iri} <{PROP}/qualifier/{qualifier} ." for qualifier in qualifiers),
        f"{iri} <http://www.w3.org/ns/prov#wasDerivedFrom> <http://www.wikidata.org/reference/abc> .",
    ]


def _item(name: str) -> str:
    return f"<{ENTITY}{name}>"


FULL = [
    *_statement("Q1-a", _item("Q2"), f"P453> {_item('Q3')}", 'P1545> "1"'),
    *_statement("Q1-b", _item("Q4"), f"P453> {_item('Q5')}", f"P453> {_item('Q3')}"),
    *_statement("Q1-c", _item("Q6")),
    *_statement("Q1-d", _item("Q2"), f"P453> {_item('Q5')}", best=False),
    *_statement("Q1-e", "<http://www.wikidata.org/.well-known/genid/x>", f"P453> {_item('Q5')}"),
    f"<https://en.wikipedia.org/wiki/Heat_(1995_film)> <http://schema.org/about> {_item('Q1')} .",
    f"<https://de.wikipedia.org/wiki/Heat> <http://schema.org/about> {_item('Q1')} .",
    f"<https://en.wikipedia.org/wiki/Jos%C3%A9> <http://schema.org/about> {_item('Q2')} .",
    f'<https://www.wikidata.org/wiki/Special:EntityData/Q1> <{ONTOLOGY}sitelinks> "57"^^<{XSD}integer> .',
    "nonsense",
    "# a comment",
]


def _second(path: Path, lines: Iterable[str]) -> Path:
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))
    return path


@pytest.fixture
def staged(home: Home, tmp_path: Path) -> Stage:
    dump = write_dump(tmp_path / "truthy.nt.gz", TRUTHY)
    full = _second(tmp_path / "full.nt.gz", FULL)
    return stage_wikidata(home, dump, "en", second=full, qualified=[CAST]).stage


def _qualified(stage: Stage) -> list[tuple[int, int, int, tuple[tuple[str, int | None, str | None], ...]]]:
    return [
        (
            row["predicate"],
            row["subject"],
            row["object"],
            tuple((q["name"], q["object"], q["value"]) for q in row["qualifiers"]),
        )
        for row in pq.read_table(stage.facts).to_pylist()
        if row["qualifiers"] is not None
    ]


def test_statements_keep_their_qualifiers_one_value_of_a_name_in_a_fact(staged: Stage) -> None:
    assert _qualified(staged) == [
        (161, 1, 2, (("P1545", None, "1"), ("P453", 3, None))),
        (161, 1, 4, (("P453", 3, None),)),
        (161, 1, 4, (("P453", 5, None),)),
    ]


def test_sitelinks_and_titles_are_known_and_popularity_is_not_counted_twice(staged: Stage) -> None:
    entities = {row["id"]: row for row in pq.read_table(staged.entities).to_pylist()}
    assert (entities[1]["sitelinks"], entities[1]["wikipedia_title"]) == (57, "Heat (1995 film)")
    assert (entities[2]["sitelinks"], entities[2]["wikipedia_title"]) == (None, "José")
    assert (entities[1]["n_statements"], entities[4]["in_degree"]) == (3, 1)


def test_every_line_of_both_files_is_accounted_for(staged: Stage) -> None:
    manifest = staged.manifest
    assert manifest.lines == len(TRUTHY) + len(FULL)
    assert manifest.rejected == {"not N-Triples": 1}
    plain_facts = manifest.facts - manifest.qualified_facts
    accounted = plain_facts + manifest.names + manifest.qualified_lines
    assert accounted + sum(manifest.ignored.values()) + sum(manifest.rejected.values()) == manifest.lines
    assert (manifest.second_input, manifest.qualified) == ("full.nt.gz", ["P161"])


def test_who_plays_whom_is_asked_and_the_plain_form_is_asked_once(home: Home, staged: Stage) -> None:
    assert CHARACTER in plan_all(home, "wikidata").chosen
    result = augment(home, resolve_template(CHARACTER, None))
    assert (result.n_facts, result.n_pairs) == (4, 2)
    assert result.refused == {"a qualifier is missing or stands twice": 1}
    assert sorted(result.sample) == [
        ("who plays neil mccauley in heat", "Robert De Niro"),
        ("who plays vincent hanna in heat", "Al Pacino"),
    ]


def test_a_template_without_qualifiers_reads_each_statement_once(home: Home, staged: Stage, tmp_path: Path) -> None:
    template = tmp_path / "P161.j2"
    template.write_text('+++\npredicate = "wikidata/P161"\nlabel = "cast"\n+++\nwho acts in {{ subject }}\n')
    result = augment(home, resolve_template(ShardName("wikidata", "P161"), template), dry_run=True)
    assert (result.n_facts, result.n_pairs) == (3, 1)


def test_the_lines_of_a_statement_may_fall_into_two_blocks(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sources._statements

    lines = [line for n in range(1, 60) for line in _statement(f"Q{n}-x", _item("Q2"), f"P453> {_item(f'Q{n}')}")]
    dump = write_dump(tmp_path / "truthy.nt.gz", TRUTHY)
    full = _second(tmp_path / "full.nt.gz", lines)
    for block_bytes in (1, 700, 5_000):
        monkeypatch.setattr(sources._statements, "_BLOCK_BYTES", block_bytes)
        monkeypatch.setattr("factmill.dumpfile._INFLATE_BYTES", block_bytes)
        own = Home.open(tmp_path / str(block_bytes), create=True)
        stage = stage_wikidata(own, dump, "en", second=full, qualified=[CAST]).stage
        assert _qualified(stage) == [(161, n, 2, (("P453", n, None),)) for n in range(1, 60)]


def test_a_csv_file_gives_the_same_facts(home: Home, tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "truthy.nt.gz", TRUTHY)
    rows = ["Q1,P161,Q2,P453,Q3", "Q1,P161,Q4,P453,Q5,P453,Q3", "Q1,P161,Q6", "Q1,P57,Q2,P1,Q1", "", "Q1,P161", "a,b,c"]
    stage = stage_wikidata(home, dump, "en", second=_second(tmp_path / "s.csv.gz", rows), qualified=[CAST]).stage
    assert _qualified(stage) == [
        (161, 1, 2, (("P453", 3, None),)),
        (161, 1, 4, (("P453", 3, None),)),
        (161, 1, 4, (("P453", 5, None),)),
    ]
    assert stage.manifest.rejected == {
        "not an item or property": 1,
        "not subject, property, value and pairs of qualifiers": 1,
    }


def test_the_real_statements_say_who_plays_whom(home: Home, shared: Path) -> None:
    folder = shared / "wikidata"
    second = folder / "statements_with_qualifiers.csv.gz"
    stage_wikidata(home, folder / "subset.truthy.nt.gz", "en", second=second, qualified=[CAST])
    result = augment(home, resolve_template(CHARACTER, None), dry_run=True)
    assert ("who plays gregory house in house", "Hugh Laurie") in result.sample


def test_qualified_goes_with_a_second_file(factmill: Callable[..., Outcome], dump: Path) -> None:
    outcome = factmill("stage", "wikidata", dump, "--qualified", "P161")
    assert (outcome.status, "--qualified goes with --second" in outcome.err) == (2, True)


def test_a_snapshot_of_some_properties_retires_nothing(home: Home, tmp_path: Path, dump: Path) -> None:
    stage_wikidata(home, dump, "en")
    for shard in plan_all(home, "wikidata").chosen:
        augment(home, resolve_template(shard, None))
    stage_wikidata(home, dump, "en", only=[PropertyId(175)])
    assert Stage.current(home, "wikidata").manifest.only == ["P175"]
    assert plan_all(home, "wikidata").vanished == []
