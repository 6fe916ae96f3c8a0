"""What a truthy dump lacks, from a second file: qualifiers, sitelinks, titles."""

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from factmill.corpus import Corpus
from factmill.errors import SourceFormatError
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


def _answers(home: Home) -> dict[str, str]:
    """Return the best answers to the questions of the first wording."""
    rows = Corpus(home).latest().rows(CHARACTER, ["question", "answer"]).to_pylist()
    return {row["question"]: row["answer"][0] for row in rows if row["question"].startswith("who plays ")}


def test_who_plays_whom_is_asked_and_the_plain_form_is_asked_once(home: Home, staged: Stage) -> None:
    assert CHARACTER in plan_all(home, "wikidata").chosen
    result = augment(home, resolve_template(CHARACTER, None))
    assert (result.n_facts, result.n_keys, result.refused) == (3, 2, {})
    assert _answers(home) == {
        "who plays neil mccauley in heat": "Robert De Niro",
        "who plays vincent hanna in heat": "Al Pacino",
    }


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
    augment(home, resolve_template(CHARACTER, None))
    assert _answers(home)["who plays gregory house in house"] == "Hugh Laurie"


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


@pytest.mark.parametrize(
    ("file", "lines", "message"),
    [
        ("page.nt.gz", ["<html>", "502"], "adds nothing: its 2 lines hold no sitelinks"),
        ("truthy.nt.gz", TRUTHY, f"adds nothing: its {len(TRUTHY)} lines hold no sitelinks"),
        ("none.csv.gz", ["Q1,P57,Q2,P1,Q1"], "adds nothing: its 1 lines"),
    ],
)
def test_a_second_file_that_adds_nothing_is_an_error(
    home: Home, tmp_path: Path, dump: Path, file: str, lines: list[str], message: str
) -> None:
    with pytest.raises(SourceFormatError, match=message):
        stage_wikidata(home, dump, "en", second=_second(tmp_path / file, lines), qualified=[CAST])
    assert list(home.staged("wikidata").iterdir()) == []


def test_a_second_file_that_is_not_what_its_name_says_is_noticed_first(home: Home, tmp_path: Path, dump: Path) -> None:
    (tmp_path / "page.nt.gz").write_text("<html>")
    with pytest.raises(SourceFormatError, match=r"page.nt.gz is not a gzip file"):
        stage_wikidata(home, dump, "en", second=tmp_path / "page.nt.gz")
    assert not home.staged("wikidata").exists()


SITELINKS = f"<https://www.wikidata.org/wiki/Special:EntityData/Q1> <{ONTOLOGY}sitelinks>"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"{SITELINKS} <<( <a:b> <a:b> <a:b> )>> .", "a statement about a statement"),
        (
            "<https://en.wikipedia.org/wiki/A> <http://schema.org/about> <<( <a:b> <a:b> <a:b> )>> .",
            "a statement about",
        ),
        (f'{SITELINKS} "99999999999999999999"^^<{XSD}integer> .', "no number of sitelinks"),
        (f'{SITELINKS} "{"9" * 5_000}"^^<{XSD}integer> .', "no number of sitelinks"),
        (f'{SITELINKS} "²"^^<{XSD}integer> .', "no number of sitelinks"),
        (f'{SITELINKS} "{"x" * 1_100_000}" .', "longer than 1,048,576 bytes"),
    ],
)
def test_a_hostile_line_of_a_second_file_is_refused(home: Home, tmp_path: Path, line: str, reason: str) -> None:
    dump = write_dump(tmp_path / "truthy.nt.gz", TRUTHY)
    full = _second(tmp_path / "full.nt.gz", [line, *FULL[:-2]])
    manifest = stage_wikidata(home, dump, "en", second=full, qualified=[CAST]).stage.manifest
    assert [(found[: len(reason)], n) for found, n in manifest.rejected.items()] == [(reason, 1)]


@pytest.mark.parametrize("between", ["", "# a comment", "nonsense", 'TAB<a:s>TAB<a:p>TAB"x" .', "ODD"])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_line_in_another_form_does_not_tear_a_statement_apart(
    home: Home, tmp_path: Path, between: str, place: int
) -> None:
    lines = _statement("Q1-a", _item("Q2"), f"P453> {_item('Q3')}")[1:-1]
    qualifiers = [("P453", 3, None)]
    if between == "ODD":
        between = lines[0].split(" ")[0] + f"\t<{PROP}/qualifier/P1>\t{_item('Q7')} ."
        qualifiers = [("P1", 7, None), *qualifiers]
    lines.insert(place, between.replace("TAB", "\t"))
    before, after = (_statement(key, _item("Q6"), f"P1> {_item('Q1')}", best=False) for key in ("Q8-a", "Q9-a"))
    dump = write_dump(tmp_path / "truthy.nt.gz", TRUTHY)
    full = _second(tmp_path / "full.nt.gz", [*before, *lines, *after])
    stage = stage_wikidata(home, dump, "en", second=full, qualified=[CAST]).stage
    assert _qualified(stage) == [(161, 1, 2, tuple(qualifiers))]


def test_only_what_an_article_is_about_gets_its_title(home: Home, tmp_path: Path) -> None:
    badge = f"<https://en.wikipedia.org/wiki/Foo>\t<{ONTOLOGY}badge>\t{_item('Q2')} ."
    full = _second(tmp_path / "full.nt.gz", [badge, *FULL[-6:-2]])
    stage = stage_wikidata(home, write_dump(tmp_path / "truthy.nt.gz", TRUTHY), "en", second=full).stage
    titles = {row["id"]: row["wikipedia_title"] for row in pq.read_table(stage.entities).to_pylist()}
    assert titles[2] == "José"


def test_a_csv_file_may_begin_with_a_mark_and_have_a_name_in_capitals(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "S.CSV"
    path.write_bytes(b"\xef\xbb\xbfQ1,P161,Q2,P453,Q3\r\n" + b"Q1,P161,Q4" + b",P453,Q5" * 150_000 + b"\n")
    stage = stage_wikidata(home, write_dump(tmp_path / "truthy.nt.gz", TRUTHY), "en", second=path).stage
    assert _qualified(stage) == [(161, 1, 2, (("P453", 3, None),))]
    assert stage.manifest.rejected == {"longer than 1,048,576 bytes": 1}


def test_a_shard_that_needs_qualifiers_says_how_to_get_them(factmill: Callable[..., Outcome], tmp_path: Path) -> None:
    films = [line.replace("P161", "P57") for line in TRUTHY]
    factmill("stage", "wikidata", write_dump(tmp_path / "d.nt.gz", films))
    outcome = factmill("augment", "wikidata/P161~character")
    assert "It needs qualifiers: stage with --second and --qualified P161" in outcome.err
