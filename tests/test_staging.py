import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date as day
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from factmill import snapshot as snapshots
from factmill.errors import ConfigError, FactmillError, SourceFormatError
from factmill.home import Home
from factmill.manifest import Stage
from factmill.stage import stage_wikidata
from factmill.workplace import unfinished
from tests.dumps import ENTITY, SONGS, XSD, date, fact, name, write_dump


def _facts(stage: Stage) -> list[tuple[object, ...]]:
    rows = pq.read_table(stage.facts, columns=["predicate", "subject", "object", "value", "kind"]).to_pylist()
    return [tuple(row.values()) for row in rows]


def _entity(stage: Stage, number: int) -> dict[str, object]:
    (row,) = (row for row in pq.read_table(stage.entities).to_pylist() if row["id"] == number)
    return dict(row)


def test_facts_are_staged_by_predicate_and_then_as_they_stand_in_the_dump(home: Home, tmp_path: Path) -> None:
    dump = write_dump(
        tmp_path / "d.nt.gz", [fact("Q2", "P175", "Q10"), date("Q1", "P577", "2015-10-23"), fact("Q1", "P175", "Q10")]
    )
    assert _facts(stage_wikidata(home, dump, "en").stage) == [
        (175, 2, 10, None, "entity"),
        (175, 1, 10, None, "entity"),
        (577, 1, None, "2015-10-23T00:00:00Z", "date"),
    ]


def test_entities_carry_names_types_and_popularity(home: Home, dump: Path) -> None:
    stage = stage_wikidata(home, dump, "en").stage
    assert _entity(stage, 10) == {
        "id": 10,
        "label": "Adele",
        "aliases": ["Adele Adkins"],
        "description": "English singer",
        "types": [],
        "n_statements": 0,
        "in_degree": 3,
        "sitelinks": None,
        "wikipedia_title": None,
        "same_as": [],
        "popularity": 3,
    }
    assert _entity(stage, 1)["types"] == ["Q7366"]
    assert _entity(stage, 99)["label"] is None


def test_the_manifest_accounts_for_every_line(home: Home, dump: Path) -> None:
    manifest = stage_wikidata(home, dump, "en").stage.manifest
    assert manifest.lines == len(SONGS)
    assert (manifest.facts, manifest.facts_by_kind) == (10, {"date": 2, "entity": 8})
    assert manifest.ignored == {"another language": 1, "subject is not an item": 1}
    assert manifest.rejected == {}
    named = sum(" <http://www.wikidata.org/prop/direct/" not in line for line in SONGS) - 2
    assert manifest.facts + named + sum(manifest.ignored.values()) == manifest.lines
    assert (manifest.as_of, manifest.licence) == (day(2026, 11, 1), "CC0-1.0")


def test_odd_objects_are_typed_or_refused_with_a_reason(home: Home, tmp_path: Path) -> None:
    def literal(value: str) -> str:
        return f"<{ENTITY}Q1> <http://www.wikidata.org/prop/direct/P1> {value} ."

    lines = [
        literal(f'"+12"^^<{XSD}decimal>'),
        literal('"Point(1 2)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>'),
        literal('"plain"'),
        literal('"tagged"@de'),
        literal("<http://example.org/page>"),
        literal("_:unknown"),
        literal("<http://www.wikidata.org/.well-known/genid/abc>"),
        literal('"x"^^<http://example.org/type>'),
        f"<{ENTITY}Q1> <http://www.wikidata.org/prop/direct/P1> <{ENTITY}P31> .",
        "not a triple",
        "",
    ]
    result = stage_wikidata(home, write_dump(tmp_path / "d.nt.gz", lines), "en")
    manifest = result.stage.manifest
    assert manifest.facts_by_kind == {"coordinate": 1, "quantity": 1, "text": 2, "url": 1}
    assert manifest.rejected == {"not N-Triples": 1, "unknown datatype": 1, "unknown value": 2}
    assert manifest.ignored == {"blank line or comment": 1, "object is not an item": 1}
    assert result.rejects is not None
    refused = [json.loads(line) for line in result.rejects.read_text().splitlines()]
    assert [row["reason"] for row in refused] == ["unknown value", "unknown value", "unknown datatype", "not N-Triples"]


def test_bytes_that_are_not_utf8_are_refused(home: Home, tmp_path: Path) -> None:
    dump = tmp_path / "d.nt"
    dump.write_bytes(fact("Q1", "P1", "Q2").encode() + b'\n<a:s> <a:p> "\xff" .\n')
    assert stage_wikidata(home, dump, "en").stage.manifest.rejected == {"not UTF-8": 1}


def test_of_two_labels_the_first_in_the_dump_counts(home: Home, tmp_path: Path) -> None:
    lines = [name("Q1", "zebra"), name("Q1", "aardvark"), fact("Q1", "P1", "Q1")]
    assert _entity(stage_wikidata(home, write_dump(tmp_path / "d.nt.gz", lines), "en").stage, 1)["label"] == "zebra"


def test_the_order_of_an_endpoints_rows_does_not_matter(tmp_path: Path) -> None:
    from factmill.facts import Batch, record_batch
    from factmill.manifest import Scope
    from factmill.parts import PartSource
    from factmill.project import load_source
    from factmill.snapshot import Input, stage

    info = load_source("dbpedia").INFO
    facts = [("p", "s", None, text, "text", lang, None, "x") for text in "ab" for lang in (None, "en")]
    about = [("s", "label", text, None, 0) for text in ("zebra", "aardvark")]

    class Shuffled:
        def __init__(self, step: int) -> None:
            self.lines = self.names = self.qualified_lines = 0
            self.ignored: Counter[str] = Counter()
            self.as_of: day | None = None
            self._step = step

        def __iter__(self) -> Iterator[Batch]:
            yield Batch("facts", record_batch(facts[:: self._step], info.ids.fact_schema()))
            yield Batch("about", record_batch(about[:: self._step], info.ids.about_schema()))

    def staged(step: int) -> Stage:
        home = Home.open(tmp_path / str(step), create=True)
        windows = [PartSource(lambda rejects, advance: Shuffled(step))]
        return stage(home, info, Input("x"), Scope("en"), windows).stage

    stages = [staged(1), staged(-1)]
    assert stages[0].manifest.snapshot == stages[1].manifest.snapshot
    assert pq.read_table(stages[0].entities)["label"].to_pylist() == ["aardvark"]


def test_the_same_file_again_is_a_no_op(home: Home, dump: Path) -> None:
    first = stage_wikidata(home, dump, "en")
    again = stage_wikidata(home, dump, "en")
    assert (first.is_new, again.is_new) == (True, False)
    assert again.stage.manifest == first.stage.manifest


def test_two_homes_hold_the_same_snapshot(tmp_path: Path, dump: Path) -> None:
    stages = [stage_wikidata(Home.open(tmp_path / n, create=True), dump, "en").stage for n in ("a", "b")]
    assert stages[0].manifest.snapshot == stages[1].manifest.snapshot
    for table in ("facts", "entities"):
        one, other = (pq.read_table(getattr(stage, table)) for stage in stages)
        assert one.equals(other)


def test_another_language_is_another_snapshot(home: Home, dump: Path) -> None:
    english, chinese = (stage_wikidata(home, dump, lang).stage for lang in ("en", "zh"))
    assert english.manifest.snapshot != chinese.manifest.snapshot
    assert _entity(chinese, 10)["label"] == "阿黛尔"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["<html>", "<body>"], "all of its 2 lines were refused"),
        (["<html>"] * 2000, "holds no N-Triples: its first"),
        ([name("Q1", "only a label")], "holds no facts"),
    ],
)
def test_a_file_without_facts_is_refused(home: Home, tmp_path: Path, lines: Iterable[str], message: str) -> None:
    with pytest.raises(SourceFormatError, match=message):
        stage_wikidata(home, write_dump(tmp_path / "d.nt.gz", lines, members=1), "en")
    with pytest.raises(ConfigError, match="nothing of wikidata is staged"):
        Stage.current(home, "wikidata")


def test_a_failure_leaves_what_was_staged_before(
    home: Home, dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stage_wikidata(home, dump, "en").stage.manifest
    truncated = tmp_path / "cut.nt.gz"
    truncated.write_bytes(dump.read_bytes()[:-10])
    with pytest.raises(FactmillError):
        stage_wikidata(home, truncated, "en")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(snapshots, "_publish", interrupt)
    with pytest.raises(KeyboardInterrupt):
        stage_wikidata(home, write_dump(tmp_path / "other.nt.gz", SONGS[:6]), "en")
    assert Stage.current(home, "wikidata").manifest == before
    (left,) = unfinished(home, "wikidata")
    assert {path.name for path in home.staged("wikidata").glob("*[!k]")} == {before.snapshot, "current", left.name}
    assert list((home.root / "warehouse").iterdir()) == []


def test_a_damaged_manifest_says_what_to_do(home: Home, dump: Path) -> None:
    stage = stage_wikidata(home, dump, "en").stage
    (stage.folder / "manifest.json").write_text("{")
    with pytest.raises(ConfigError, match=r"Delete the folder .* and stage again"):
        Stage.current(home, "wikidata")


def test_the_real_subset_is_accounted_for(home: Home, shared: Path) -> None:
    manifest = stage_wikidata(home, shared / "wikidata" / "subset.truthy.nt.gz", "en").stage.manifest
    assert (manifest.lines, manifest.facts) == (379_958, 254_236)
    assert manifest.facts_by_kind == {"date": 37_603, "entity": 216_633}
    assert (manifest.rejected, sum(manifest.ignored.values())) == ({}, 457)
