import gzip
import re
import zlib
from pathlib import Path

import pyoxigraph
import pytest

from benchmarks import truthy_entities
from benchmarks.truthy_dump import write_dump
from benchmarks.truthy_figures import DumpFigures
from benchmarks.truthy_statements import properties
from benchmarks.truthy_words import escaped

RAW_BYTES, MEMBER_RAW_BYTES = 9_000_000, 3_000_000
SUBJECT_ID = re.compile(rb"^<http://www\.wikidata\.org/entity/Q(\d+)>")


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, DumpFigures]:
    path = tmp_path_factory.mktemp("truthy") / "truthy.nt.gz"
    return path, write_dump(path, RAW_BYTES, processes=2, member_raw_bytes=MEMBER_RAW_BYTES)


@pytest.fixture(scope="module")
def raw(dump: tuple[Path, DumpFigures]) -> bytes:
    return gzip.decompress(dump[0].read_bytes())


def _between(low: float, value: float, high: float) -> bool:
    return low <= value <= high


def test_the_shares_of_lines_are_those_of_the_real_dump(dump: tuple[Path, DumpFigures]) -> None:
    _, figures = dump
    share = {kind: lines / figures.n_lines for kind, (lines, _) in figures.kinds().items()}
    labels = [share[f"label ({name})"] for name in ("rdfs:label", "skos:prefLabel", "schema:name")]
    assert labels[0] == labels[1] == labels[2]
    assert _between(0.44, sum(labels) + share["description"] + share["alias"], 0.58)
    assert _between(0.28, share["direct"], 0.39)
    assert _between(0.02, share["direct-normalized"], 0.06)
    assert share["Special:EntityData"] == pytest.approx(8 * share["type wikibase:Item"])
    assert share["redirect"] > 0


def test_the_values_of_direct_statements_are_of_every_kind(dump: tuple[Path, DumpFigures]) -> None:
    _, figures = dump
    share = {kind: n / figures.n_statements for kind, n in figures.values.items()}
    assert _between(0.38, share.pop("item"), 0.52)
    assert _between(0.28, share.pop("string"), 0.42)
    assert set(share) == {"coordinate", "date", "entity", "formula", "iri", "quantity", "text", "unknown"}


def test_lines_and_compression_are_near_the_real_dump(dump: tuple[Path, DumpFigures]) -> None:
    _, figures = dump
    assert _between(122, figures.raw_bytes / figures.n_lines, 136)
    assert _between(12, figures.ratio, 20)


def test_figures_are_those_of_the_file(dump: tuple[Path, DumpFigures], raw: bytes) -> None:
    path, figures = dump
    members = _members(path.read_bytes())
    lines = raw.splitlines()
    direct = re.findall(rb"(?m)^<\S+> <http://www\.wikidata\.org/prop/direct/P(\d+)> ", raw)
    assert figures.compressed_bytes == path.stat().st_size
    assert figures.raw_bytes == len(raw)
    assert figures.n_members == len(members) == 3
    assert figures.n_lines == len(lines)
    assert figures.n_entities == sum(line.endswith(b" <http://wikiba.se/ontology#Item> .") for line in lines)
    assert (figures.n_statements, figures.n_properties) == (len(direct), len(set(direct)))
    assert sum(share.bytes for share in figures.kinds().values()) == len(raw)


def test_members_are_cut_at_entity_ends(dump: tuple[Path, DumpFigures]) -> None:
    members = _members(dump[0].read_bytes())
    assert all(member.startswith(b"<https://www.wikidata.org/wiki/Special:EntityData/Q") for member in members)
    assert all(member.endswith(b" .\n") for member in members)
    assert all(_between(MEMBER_RAW_BYTES, len(member), MEMBER_RAW_BYTES * 1.02) for member in members)


def test_every_line_is_an_ntriple_in_ascii(raw: bytes) -> None:
    assert raw.isascii()
    triples = list(pyoxigraph.parse(raw, format=pyoxigraph.RdfFormat.N_TRIPLES))
    assert len(triples) == raw.count(b"\n")


def test_no_triple_stands_twice(raw: bytes) -> None:
    lines = raw.splitlines()
    assert len(set(lines)) == len(lines)


def test_entities_rise(raw: bytes) -> None:
    found = (SUBJECT_ID.match(line) for line in raw.splitlines())
    ids = [int(match[1]) for match in found if match]
    assert ids == sorted(ids)


def test_there_are_no_sitelinks(raw: bytes) -> None:
    assert b"sitelinks" not in raw
    assert b"wikipedia.org" not in raw


def test_most_items_have_one_english_label(dump: tuple[Path, DumpFigures], raw: bytes) -> None:
    labelled = re.findall(rb'(?m)^(<\S+>) <http://www\.w3\.org/2000/01/rdf-schema#label> ".*"@en \.$', raw)
    assert len(set(labelled)) == len(labelled)
    assert _between(0.81, len(labelled) / dump[1].n_entities, 0.89)


def test_the_number_of_processes_does_not_show_but_the_seed_does(tmp_path: Path) -> None:
    one, two, other = (tmp_path / name for name in ("one.nt.gz", "two.nt.gz", "other.nt.gz"))
    write_dump(one, 2_000_000, processes=1, member_raw_bytes=500_000)
    write_dump(two, 2_000_000, processes=2, member_raw_bytes=500_000)
    write_dump(other, 2_000_000, processes=1, member_raw_bytes=500_000, seed=1)
    assert one.read_bytes() == two.read_bytes() != other.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted([one, two, other])


def test_hostile_text_is_valid_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truthy_entities, "ADVERSARIAL", 0.5)
    path = tmp_path / "hostile.nt.gz"
    figures = write_dump(path, 500_000, processes=1)
    raw = gzip.decompress(path.read_bytes())
    triples = list(pyoxigraph.parse(raw, format=pyoxigraph.RdfFormat.N_TRIPLES))
    direct = [t for t in triples if t.predicate.value.startswith("http://www.wikidata.org/prop/direct/")]
    assert raw.count(b'"> <http://www.wikidata.org/prop/direct/P31> <') > 10
    assert len(triples) == figures.n_lines
    assert len(direct) == figures.n_statements


def test_there_are_2000_properties_and_p31_is_the_first() -> None:
    assert len(set(properties().ids)) == 2_000
    assert properties().ids[0] == 31


def test_escapes_are_those_of_wikidata() -> None:
    assert escaped('caf\xe9 "\U0001f600"\t\\') == r"caf\u00E9 \"\U0001F600\"\t\\"


def _members(data: bytes) -> list[bytes]:
    members = []
    while data:
        member = zlib.decompressobj(wbits=31)
        members.append(member.decompress(data))
        data = member.unused_data
    return members
