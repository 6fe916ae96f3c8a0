"""What is staged of a truthy dump is what tests/truthy_oracle.py says, however many windows and workers read it."""

import gzip
import random
import zlib
from collections import Counter
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.truthy_dump import write_dump as write_made_up_dump
from factmill.home import Home
from factmill.manifest import Stage
from factmill.names import PropertyId
from factmill.settings import settings
from factmill.stage import stage_wikidata
from tests.dumps import ALIAS, DESCRIPTION, fact, name
from tests.hostile_lines import HOSTILE
from tests.truthy_oracle import Fact, Reading, read_dump, read_lines, read_text

ONE_WINDOW, MANY_WINDOWS = 1 << 40, 4_000


FACTS = pa.schema(
    [
        ("predicate", pa.int32()),
        ("subject", pa.int64()),
        ("object", pa.int64()),
        ("value", pa.string()),
        ("kind", pa.string()),
        ("lang", pa.string()),
    ]
)


class Expected(NamedTuple):
    """What must be staged of a dump."""

    reading: Reading
    facts: pa.Table
    entities: pa.Table

    @classmethod
    def of(cls, reading: Reading) -> "Expected":
        facts = pa.Table.from_arrays([pa.array(column) for column in zip(*reading.facts, strict=True)], FACTS.names)
        return cls(reading, facts.cast(FACTS), pa.Table.from_pylist(entities_of(reading)))


class Dump(NamedTuple):
    """A dump of many gzip members, and what the oracle says of it."""

    path: Path
    expected: Expected


def pack(path: Path, raw: bytes, n_members: int) -> Path:
    """Write gzip members, cut where it hurts: in the middle of lines."""
    bounds = [0, *sorted(random.Random(0).sample(range(1, len(raw)), n_members - 1)), len(raw)]
    path.write_bytes(b"".join(gzip.compress(raw[a:b], 1, mtime=0) for a, b in pairwise(bounds)))
    return path


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Dump:
    original = shared / "wikidata" / "subset.truthy.nt.gz"
    raw = gzip.decompress(original.read_bytes())
    return Dump(pack(tmp_path_factory.mktemp("real") / "real.nt.gz", raw, 100), Expected.of(read_text(raw)))


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Dump:
    path = tmp_path_factory.mktemp("made-up") / "truthy.nt.gz"
    write_made_up_dump(path, 6_000_000, processes=1, member_raw_bytes=300_000)
    return Dump(path, Expected.of(read_dump(path)))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Dump:
    raw = b"\n".join([*HOSTILE, fact("Q1", "P31", "Q5").encode(), *reversed(HOSTILE)])
    return Dump(pack(tmp_path_factory.mktemp("hostile") / "hostile.nt.gz", raw, 40), Expected.of(read_text(raw)))


def staged(path: Path, home: Path, least_window_bytes: int, workers: int, **options: Any) -> Stage:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FACTMILL_WINDOW_BYTES", str(least_window_bytes))
        settings.cache_clear()
        options.setdefault("lang", "en")
        return stage_wikidata(Home.open(home, create=True), path, workers=workers, **options).stage


def entities_of(reading: Reading) -> list[dict[str, Any]]:
    """Put together what the rows say of each entity: the first label and description, all aliases and types."""
    texts: dict[tuple[int, str], list[str]] = {}
    for row in reading.about:
        texts.setdefault((row.id, row.role), []).append(row.text)
    statements = Counter(row.subject for row in reading.facts)
    pointers = Counter(row.object for row in reading.facts if row.object is not None)
    ids = {row.id for row in reading.about} | set(statements) | set(pointers)
    return [
        {
            "id": number,
            "label": texts.get((number, "label"), [None])[0],
            "aliases": sorted(set(texts.get((number, "alias"), []))),
            "description": texts.get((number, "description"), [None])[0],
            "types": sorted(set(texts.get((number, "type"), []))),
            "n_statements": statements[number],
            "in_degree": pointers[number],
            "popularity": statements[number] + pointers[number],
        }
        for number in sorted(ids)
    ]


def assert_staged(stage: Stage, expected: Expected) -> None:
    """Compare facts in the order of the file, entities and all counts."""
    by_place = [("place.member", "ascending"), ("place.offset", "ascending")]
    facts = pq.read_table(stage.facts).flatten().sort_by(by_place).select(FACTS.names).cast(FACTS)
    assert first_difference(facts, expected.facts) is None
    entities = pq.read_table(stage.entities, columns=expected.entities.column_names)
    assert first_difference(entities, expected.entities.cast(entities.schema)) is None
    manifest, reading = stage.manifest, expected.reading
    assert (manifest.ignored, manifest.rejected) == (reading.ignored, reading.refused)
    assert manifest.facts_by_kind == Counter(row.kind for row in reading.facts)
    assert (manifest.lines, manifest.names, manifest.as_of) == (reading.lines, reading.names, reading.as_of)
    n_left_out = sum(manifest.ignored.values()) + sum(manifest.rejected.values())
    assert manifest.facts + manifest.names + n_left_out == manifest.lines


def first_difference(found: pa.Table, expected: pa.Table) -> Any:
    if found.equals(expected):
        return None
    rows = zip_longest(found.to_pylist(), expected.to_pylist())
    return next((pair for pair in rows if pair[0] != pair[1]), (found.schema, expected.schema))


@pytest.mark.parametrize(
    ("least_window_bytes", "workers"),
    [(ONE_WINDOW, 1), (MANY_WINDOWS, 1), (MANY_WINDOWS, 2), (MANY_WINDOWS, 3)],
)
@pytest.mark.parametrize("dump", ["hostile", "made_up", "real"])
def test_a_dump_is_staged_as_the_oracle_reads_it(
    request: pytest.FixtureRequest, tmp_path: Path, dump: str, least_window_bytes: int, workers: int
) -> None:
    path, expected = request.getfixturevalue(dump)
    stage = staged(path, tmp_path, least_window_bytes, workers)
    assert_staged(stage, expected)
    assert (len(list(stage.facts.iterdir())) > 3) == (least_window_bytes == MANY_WINDOWS)


def test_the_real_file_as_it_was_fetched_is_staged_as_the_oracle_reads_it(
    tmp_path: Path, shared: Path, real: Dump
) -> None:
    assert_staged(staged(shared / "wikidata" / "subset.truthy.nt.gz", tmp_path, ONE_WINDOW, 2), real.expected)


@pytest.mark.parametrize("least_window_bytes", [ONE_WINDOW, MANY_WINDOWS])
@pytest.mark.parametrize("dump", ["hostile", "made_up"])
def test_parts_are_sorted_and_every_place_leads_back_to_its_line(
    request: pytest.FixtureRequest, tmp_path: Path, dump: str, least_window_bytes: int
) -> None:
    path, _ = request.getfixturevalue(dump)
    stage = staged(path, tmp_path, least_window_bytes, 2)
    facts = {}
    for part in sorted(stage.facts.glob("*.parquet")):
        rows = pq.read_table(part).to_pylist()
        keys = [(row["predicate"], row["place"]["member"], row["place"]["offset"]) for row in rows]
        assert keys == sorted(keys)
        facts.update({key[1:]: Fact(*map(row.get, Fact._fields)) for key, row in zip(keys, rows, strict=True)})
    assert len(facts) == stage.manifest.facts
    packed = path.read_bytes()
    for member, offset in random.Random(1).sample(sorted(facts), 200):
        assert read_lines([line_at(packed, member, offset)]).facts == [facts[member, offset]]


def line_at(packed: bytes, member: int, offset: int) -> bytes:
    """Inflate members from this one on until the line is whole."""
    text, rest = b"", packed[member:]
    while rest and b"\n" not in text[offset:]:
        inflate = zlib.decompressobj(31)
        text += inflate.decompress(rest)
        rest = inflate.unused_data
    return text[offset:].partition(b"\n")[0]


@pytest.mark.parametrize("least_window_bytes", [ONE_WINDOW, 1_024])
@pytest.mark.parametrize("is_packed", [True, False])
def test_the_first_name_in_the_file_counts_whatever_window_it_is_in(
    tmp_path: Path, least_window_bytes: int, is_packed: bool
) -> None:
    chance = random.Random(5)
    lines = [fact(f"Q{chance.randint(1, 9)}", "P31", f"Q{chance.randint(1, 9)}") for _ in range(40)]
    for number in range(400):
        text = chance.choice("zyxab") + chance.randbytes(40).hex() + str(number)
        role = chance.choice([None, ALIAS, DESCRIPTION])
        lines.append(name(f"Q{chance.randint(1, 9)}", text, **({"role": role} if role else {})))
        lines.append(name("Q3", "the same alias", role=ALIAS))
    raw = "\n".join(lines).encode()
    path = tmp_path / ("names.nt.gz" if is_packed else "names.nt")
    if is_packed:
        pack(path, raw, 60)
    else:
        path.write_bytes(raw)
    assert_staged(staged(path, tmp_path / "home", least_window_bytes, 3), Expected.of(read_text(raw)))


@pytest.mark.parametrize(("lang", "only"), [("de", []), ("zh-hans", []), ("en-gb", ["P17"]), ("en", ["P569", "P18"])])
def test_a_part_of_a_dump_is_staged_as_the_oracle_reads_it(
    tmp_path: Path, made_up: Dump, lang: str, only: list[str]
) -> None:
    asked = [PropertyId.parse(number) for number in only]
    stage = staged(made_up.path, tmp_path, MANY_WINDOWS, 2, lang=lang, only=asked)
    assert_staged(stage, Expected.of(read_dump(made_up.path, lang, only)))
