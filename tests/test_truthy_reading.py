"""The fast reader of truthy dumps says what the slow and obvious one in tests/truthy_oracle.py says."""

import gzip
import random
from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmill import dumpfile
from factmill.names import PropertyId
from factmill.rejects import Rejects
from factmill.windows import find_windows
from sources import _truthy_rows, wikidata
from tests.dumps import ALIAS, DESCRIPTION, DIRECT, ENTITY, LABEL, XSD, date, fact, name
from tests.hostile_lines import HOSTILE
from tests.truthy_oracle import MAX_LINE_BYTES, About, Fact, Reading, read_lines, read_text

ONE_WINDOW = 1 << 40
USUAL = [
    fact("Q1", "P31", "Q5"),
    fact("Q42", "P175", "Q10"),
    date("Q1", "P577", "2015-10-23"),
    name("Q1", "Hello"),
    name("Q1", "Gr\\u00FC\\u00DFe \\U0001F600", "de"),
    name("Q1", "Grüße 😀", role=ALIAS),
    name("Q1", 'an \\"old\\" song', "en-gb", DESCRIPTION),
    f'<{ENTITY}Q1> <{DIRECT}P1> "Point(1 2)"^^<http://www.opengis.net/ont/geosparql#wktLiteral> .',
    f'<{ENTITY}Q1> <{DIRECT}P1> "+12"^^<{XSD}decimal> .',
    f'<{ENTITY}Q1> <{DIRECT}P1> "plain" .',
    f"<{ENTITY}Q1> <{DIRECT}P1> <http://example.org/a%20b?c=d#e> .",
    f"<{ENTITY}Q1> <{DIRECT}P1> _:b0 .",
    f"<{ENTITY}Q1> <{DIRECT}P1> <http://www.wikidata.org/.well-known/genid/abc> .",
    f'<http://wikiba.se/ontology#Dump> <http://schema.org/dateModified> "2026-11-01T03:00:00Z"^^<{XSD}dateTime> .',
    "# a comment",
]

# Half a minute of hypothesis is enough for every run; the folder is the same for all examples of a test.
fuzz = settings(deadline=None, max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read_fast(path: Path, lang: str = "en", only: Sequence[str] = (), least_window_bytes: int = ONE_WINDOW) -> Reading:
    """Read a dump with the reader that is tested; rows come in the order of the file."""
    found = Reading()
    facts: list[dict[str, Any]] = []
    about: list[dict[str, Any]] = []
    asked = [PropertyId.parse(number) for number in only]
    for window in find_windows(path, least_window_bytes):
        rejects = Rejects(path, keep=False)
        reader = wikidata.WindowReader(
            path, window, rejects, lambda done, lines=0: None, lang=lang, only=asked, max_expansion=10_000
        )
        for batch in reader:
            (facts if batch.table == "facts" else about).extend(batch.rows.to_pylist())
        found.lines += reader.lines
        found.names += reader.names
        found.ignored += reader.ignored
        found.refused += rejects.counts
        found.as_of = max(filter(None, (found.as_of, reader.as_of)), default=None)
    facts.sort(key=lambda row: (row["place"]["member"], row["place"]["offset"]))
    about.sort(key=lambda row: int(row["position"]))
    found.facts = [Fact(*(row[column] for column in Fact._fields)) for row in facts]
    found.about = [About(row["id"], row["role"], row["text"]) for row in about]
    return found


def assert_same(found: Reading, expected: Reading) -> None:
    for rows in ("facts", "about"):
        pairs = zip_longest(getattr(found, rows), getattr(expected, rows))
        assert next((pair for pair in pairs if pair[0] != pair[1]), None) is None
    assert found == expected


def pack(path: Path, raw: bytes, cuts: Iterable[int]) -> Path:
    """Write gzip members, cut at these places."""
    bounds = [0, *sorted(set(cuts)), len(raw)]
    path.write_bytes(b"".join(gzip.compress(raw[a:b], 1, mtime=0) for a, b in pairwise(bounds)))
    return path


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b""])
def test_a_hostile_line_alone_reads_as_the_oracle_reads_it(tmp_path: Path, line_end: bytes) -> None:
    path = tmp_path / "line.nt"
    for line in HOSTILE:
        path.write_bytes(line + line_end)
        assert (line, read_fast(path)) == (line, read_text(line + line_end))


@pytest.mark.parametrize(
    ("block_bytes", "inflate_bytes", "read_bytes"),
    [(1, 1, 1), (1, 1 << 19, 100), (64, 13, 7), (200, 300, 300), (3_000, 100, 1 << 17), (1 << 20, 1 << 19, 1 << 17)],
)
def test_hostile_lines_in_any_order_and_in_blocks_of_any_size_read_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int, inflate_bytes: int, read_bytes: int
) -> None:
    monkeypatch.setattr(wikidata, "_BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(dumpfile, "_INFLATE_BYTES", inflate_bytes)
    monkeypatch.setattr(dumpfile, "_READ_BYTES", read_bytes)
    chance = random.Random(block_bytes)
    lines = HOSTILE + [line.encode() for line in USUAL] * 5
    for line_end in (b"\n", b"\r\n"):
        raw = line_end.join(lines)
        expected = read_text(raw)
        plain = tmp_path / "all.nt"
        plain.write_bytes(raw)
        packed = pack(tmp_path / "all.nt.gz", raw, chance.sample(range(1, len(raw)), 30))
        for path in (plain, packed):
            assert_same(read_fast(path), expected)
            assert_same(read_fast(path, least_window_bytes=1_500), expected)
        chance.shuffle(lines)


@pytest.mark.parametrize("n_extra", [-1, 0, 1, 2_000_000])
@pytest.mark.parametrize("suffix", ['" .', '"@en .', '"\t.', '" .\r'])
def test_a_line_may_be_as_long_as_the_limit(tmp_path: Path, n_extra: int, suffix: str) -> None:
    before = f'<{ENTITY}Q1> <{LABEL if "@" in suffix else DIRECT + "P1"}> "'
    line = before + "x" * (MAX_LINE_BYTES + n_extra - len(before) - len(suffix.rstrip("\r"))) + suffix
    raw = "\n".join([USUAL[0], line, USUAL[1]]).encode()
    path = tmp_path / "long.nt"
    path.write_bytes(raw)
    expected = read_text(raw)
    assert expected.refused == ({"longer than 1,048,576 bytes": 1} if n_extra > 0 else {})
    assert_same(read_fast(path), expected)
    assert_same(read_fast(pack(tmp_path / "long.nt.gz", raw, [500_000])), expected)


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")


def escaped_throughout(text: str) -> str:
    return "".join(f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08x}" for code in map(ord, text))


@fuzz
@given(
    st.lists(
        st.tuples(
            st.sampled_from([LABEL, ALIAS, DESCRIPTION, DIRECT + "P1"]),
            st.text(max_size=40),
            st.sampled_from(["", "@en", "@EN", "@zh-hans", f"^^<{XSD}date>", f"^^<{XSD}string>", "^^<a:t>", " "]),
            st.sampled_from([escaped, escaped_throughout, str]),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_any_text_reads_as_the_oracle_reads_it(tmp_path: Path, parts: list[Any]) -> None:
    lines = [f'<{ENTITY}Q1> <{role}> "{write(text)}"{suffix} .' for role, text, suffix, write in parts]
    raw = "\n".join(lines).encode()
    path = tmp_path / "text.nt"
    path.write_bytes(raw)
    assert_same(read_fast(path), read_text(raw))


@fuzz
@given(st.lists(st.text(max_size=40), min_size=1, max_size=20))
def test_any_text_survives(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "text.nt"
    lines = [name("Q1", write(text)) for text in texts for write in (escaped, escaped_throughout)]
    path.write_bytes("\n".join(lines).encode())
    assert [row.text for row in read_fast(path).about] == [text for text in texts for _ in range(2)]


INTERESTING = st.one_of(
    st.binary(min_size=1, max_size=3),
    st.sampled_from(b'< > " \\ @ . # ^ \r \n \t - : _ 0 u U \xc3 \xe2\x82 \xed\xa0\x80 \xf0\x9f'.split(b" ")),
    st.sampled_from([b" ", b"\\u00", b"\\u0041", b"@en", b"^^<", b"> <", b'" .', b"\xef\xbb\xbf"]),
)


@st.composite
def mutated_lines(draw: st.DrawFn) -> bytes:
    """A usual line in which some bytes were inserted, dropped, flipped or repeated."""
    line = draw(st.sampled_from(USUAL)).encode()
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(line)))
        to = min(len(line), at + draw(st.integers(0, 12)))
        change = draw(st.sampled_from(["insert", "drop", "flip", "repeat"]))
        if change == "insert":
            line = line[:at] + draw(INTERESTING) + line[at:]
        elif change == "drop":
            line = line[:at] + line[to:]
        elif change == "repeat":
            line = line[:to] + line[at:]
        elif at < len(line):
            line = line[:at] + bytes([line[at] ^ 1 << draw(st.integers(0, 7))]) + line[at + 1 :]
    return line


@settings(fuzz, max_examples=1_000)
@given(st.lists(mutated_lines(), min_size=1, max_size=12))
def test_a_damaged_line_reads_as_the_oracle_reads_it(tmp_path: Path, lines: list[bytes]) -> None:
    raw = b"\n".join(lines)
    path = tmp_path / "damaged.nt"
    path.write_bytes(raw)
    assert_same(read_fast(path), read_text(raw))


@pytest.mark.parametrize("lang", ["en", "en-gb", "zh", "zh-hans", "de"])
def test_only_names_in_exactly_the_language_asked_for_are_kept(tmp_path: Path, lang: str) -> None:
    tags = [
        "de",
        "e",
        "en",
        "EN",
        "en-gb",
        "en-GB",
        "en-gb-oed",
        "eng",
        "zh",
        "zh-han",
        "zh-hans",
        "zh-Hans",
        "zh-hanst",
    ]
    lines = [name("Q1", f"{role[-5:]} {tag}", tag, role) for role in (LABEL, ALIAS, DESCRIPTION) for tag in tags]
    path = tmp_path / "names.nt"
    path.write_text("\n".join(lines))
    expected = read_lines([line.encode() for line in lines], lang)
    assert {row.text.split()[1].lower() for row in expected.about} == {lang}
    assert_same(read_fast(path, lang), expected)


@pytest.mark.parametrize("only", [["P1"], ["P175", "P577"], ["P999999"], ["P31"]])
def test_only_the_properties_asked_for_and_types_are_kept(tmp_path: Path, only: list[str]) -> None:
    numbers = ["P1", "P31", "P279", "P175", "P1750", "P577", "P999999", "P999999999"]
    lines = [fact("Q1", number, "Q2") for number in numbers] + [fact("Q1", number, "L2") for number in numbers]
    lines += [f"<{ENTITY}Q1> <{DIRECT}{number}> <relative> ." for number in numbers]
    lines += [f"<{ENTITY}Q1>\t<{DIRECT}{number}>\t<http://example.org/%zz>\t." for number in numbers]
    raw = b"\n".join([*(line.encode() for line in lines), *HOSTILE])
    path = tmp_path / "facts.nt"
    path.write_bytes(raw)
    expected = read_text(raw, "en", only)
    assert {f"P{row.predicate}" for row in expected.facts} == {*only, "P31", "P279"}
    assert_same(read_fast(path, only=only), expected)


@pytest.mark.parametrize("before", [f'<{ENTITY}Q1> <{DIRECT}P1> "', f'<{ENTITY}Q1> <{LABEL}> "'])
@pytest.mark.parametrize("middle", ["{}", '"@en-x{}'])
def test_rows_never_need_more_room_than_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, middle: str
) -> None:
    """What is written beyond it would damage the process, so the room is small and the end of it is watched."""
    monkeypatch.setattr(wikidata, "_BATCH_TEXT_BYTES", 100_000)
    monkeypatch.setattr(wikidata, "_BATCH_ROWS", 2_000)
    monkeypatch.setattr(wikidata, "_BLOCK_BYTES", 20_000)
    monkeypatch.setattr(dumpfile, "_INFLATE_BYTES", 10_000)
    watched: list[npt.NDArray[Any]] = []
    for kind in (_truthy_rows.Facts, _truthy_rows.About):
        monkeypatch.setattr(wikidata, kind.__name__, _Watched(kind, watched))
    ending = " ." if middle != "{}" else '" .'
    lines = [f"{before}{middle.format('x' * length)}{ending}" for length in [0, 1, 500, 900] * 500]
    raw = "\n".join(lines).encode()
    path = pack(tmp_path / "long.nt.gz", raw, [len(raw) // 2])
    assert_same(read_fast(path), read_text(raw))
    assert all((guard == 77).all() for guard in watched)


class _Watched:
    """Makes room like the class it stands for, with a guard after each column."""

    def __init__(self, kind: Any, guards: list[npt.NDArray[Any]]) -> None:
        self._kind = kind
        self._guards = guards

    def of_size(self, n_rows: int, n_bytes: int) -> Any:
        return self._kind(*(self._guarded(column) for column in self._kind.of_size(n_rows, n_bytes)))

    def _guarded(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        longer = np.full(len(column) + 1_000_000, 77, column.dtype)
        longer[: len(column)] = 0
        self._guards.append(longer[len(column) :])
        return longer[: len(column)]
