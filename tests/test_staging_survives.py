"""Staging survives bad files, a full disk, kills and company: nothing half is visible, and what was staged stays."""

import bz2
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from backports import zstd

from benchmarks import truthy_dump
from benchmarks.bench_kills import (
    RAW_BYTES,
    WINDOW_BYTES,
    Kills,
    facts_files,
    finished_windows,
    small_windows,
    start_staging,
    tables,
    wait_for_windows,
)
from benchmarks.cost import cost_of
from factmill.home import Home
from factmill.manifest import Stage
from factmill.stage import stage_wikidata
from factmill.windows import find_windows
from tests.conftest import ROOT, Outcome, resize_disk, run_without_privileges
from tests.dumps import fact, write_dump

Factmill = Callable[..., Outcome]
Refused = Callable[..., str]
Tree = dict[str, tuple[int, int]]

MB = 1_000_000
GOOD = "".join(f"{fact(f'Q{n}', 'P175', f'Q{n + 1}')}\n" for n in range(1, 2_001)).encode()
EVIL = "".join(f"{fact(f'Q{n}', 'P666', f'Q{n}')}\n" for n in range(1, 201)).encode()


def _zstd(data: bytes) -> bytes:
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


PACKERS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".zst": _zstd}
STREAMS = {".gz": "gzip member", ".bz2": "bzip2 stream", ".zst": "Zstandard frame"}


@pytest.fixture(scope="session")
def truthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up dump of 20 MB with many gzip members."""
    path = tmp_path_factory.mktemp("truthy") / "truthy.nt.gz"
    truthy_dump.write_dump(path, RAW_BYTES, processes=1, member_raw_bytes=MB)
    assert len(find_windows(path, WINDOW_BYTES)) >= 8
    return path


@pytest.fixture(scope="session")
def undisturbed(truthy: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """What that dump gives if nothing happens, in windows of the usual size."""
    return stage_wikidata(Home.open(tmp_path_factory.mktemp("undisturbed"), create=True), truthy, "en").stage


@pytest.fixture
def _small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTMILL_WINDOW_BYTES", str(WINDOW_BYTES))


def _tree(folder: Path) -> Tree:
    """Everything in a folder, with what changes when it is written to."""
    return {str(path.relative_to(folder)): (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def _same_rows(stage: Stage, other: Stage) -> bool:
    """Compare two snapshots whatever their windows: facts are sorted within a window only."""
    order = [("predicate", "ascending"), ("subject", "ascending"), ("object", "ascending"), ("value", "ascending")]
    (facts, entities), (other_facts, other_entities) = tables(stage), tables(other)
    columns = ["predicate", "subject", "object", "value", "kind", "lang"]
    one, two = (rows.select(columns).sort_by(order) for rows in (facts, other_facts))
    return bool(one.equals(two) and entities.equals(other_entities))


def _facts(home: Home) -> list[tuple[int, int, int]]:
    rows = pq.read_table(Stage.current(home, "wikidata").facts, columns=["predicate", "subject", "object"]).to_pylist()
    return sorted((row["predicate"], row["subject"], row["object"]) for row in rows)


GOOD_FACTS = [(175, n, n + 1) for n in range(1, 2_001)]


# --- Bad files ---


@pytest.fixture
def refused(factmill: Factmill, home: Home, dump: Path) -> Refused:
    """Stage a file that must be refused with one line, in a home where another is staged; return that line."""
    factmill("stage", "wikidata", dump)
    before = _tree(home.staged("wikidata"))

    def run(*words: str | Path) -> str:
        outcome = factmill("stage", "wikidata", *words)
        assert (outcome.status, outcome.out) == (1, "")
        assert re.fullmatch(r"Error: .+\n", outcome.err)
        assert _tree(home.staged("wikidata")) == before
        assert list((home.root / "warehouse").iterdir()) == []
        return outcome.err

    return run


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("share", [0.01, 0.5, 0.999])
def test_a_truncated_file_is_refused(refused: Refused, tmp_path: Path, suffix: str, share: float) -> None:
    path = tmp_path / f"cut.nt{suffix}"
    packed = PACKERS[suffix](GOOD)
    path.write_bytes(packed[: int(len(packed) * share)])
    assert f"{path} ends inside a {STREAMS[suffix]} (the one that starts at byte 0)" in refused(path)


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_flipped_bit_is_refused(refused: Refused, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"flip.nt{suffix}"
    packed = bytearray(PACKERS[suffix](GOOD) * 2)
    packed[len(packed) * 3 // 4] ^= 4
    path.write_bytes(packed)
    assert f"{path} is damaged in the {STREAMS[suffix]} that starts at byte {len(packed) // 2:,} (" in refused(path)


@pytest.mark.parametrize("kind", ["md5", "sha1", "sha256"])
def test_a_file_cut_between_two_streams_is_refused_by_its_checksum(refused: Refused, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "cut.nt.gz"
    member = gzip.compress(GOOD, mtime=0)
    path.write_bytes(member)
    published = hashlib.new(kind, member * 2).hexdigest()
    assert f"its {kind.upper()} is {hashlib.new(kind, member).hexdigest()}, not {published}. Nothing was staged" in (
        refused(path, "--checksum", published)
    )


def _record(path: Path, content: bytes) -> str:
    described = {"url": "https://example.org/d.nt.gz", "etag": None, "last_modified": None, "checksum": None}
    known = {"n_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "fetched_at": "2026-11-01T00:00Z"}
    text = json.dumps(described | known)
    path.with_name(f"{path.name}.fetched.json").write_text(text)
    return text


def test_a_file_that_is_not_as_it_was_fetched_is_refused(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "d.nt.gz"
    member = gzip.compress(GOOD, mtime=0)
    path.write_bytes(member)
    _record(path, member * 2)
    assert refused(path) == (
        f"Error: {path} is not as it was fetched: it has {len(member):,} bytes, not {2 * len(member):,}. Nothing was"
        " staged; delete it and fetch it again. (If you put another file there, delete d.nt.gz.fetched.json.)\n"
    )
    _record(path, bytes(len(member)))
    assert f"it has SHA-256 {hashlib.sha256(member).hexdigest()}, not " in refused(path)


def test_a_record_that_agrees_or_cannot_be_read_is_no_hindrance(factmill: Factmill, tmp_path: Path, home: Home) -> None:
    path = tmp_path / "d.nt.gz"
    path.write_bytes(gzip.compress(GOOD))
    whole = _record(path, path.read_bytes())
    for text in (whole, whole[:50], ""):
        path.with_name("d.nt.gz.fetched.json").write_text(text)
        assert factmill("stage", "wikidata", path).status == 0
    assert _facts(home) == GOOD_FACTS


PAGE = "<!DOCTYPE html>\n<html>\n\n<title>502 Bad Gateway</title>\n</html>\n"


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("text.nt.gz", b"no gzip at all", "is not a gzip file: it begins with b'no g'"),
        ("page.nt.gz", PAGE.encode(), "is not a gzip file: it begins with b'<!DO'"),
        ("page.nt.bz2", PAGE.encode(), "is not a bzip2 file: it begins with b'<!DO'"),
        ("packed.nt.gz", gzip.compress(PAGE.encode(), mtime=0), "packed.nt.gz holds no facts in its 5 lines"),
        ("packed.nt", PAGE.replace("\n\n", "\n").encode(), "all of its 4 lines were refused"),
        (
            "long.nt.gz",
            gzip.compress(PAGE.replace("\n\n", "\n").encode() * 500, mtime=0),
            "lines were all refused (not N-Trip",
        ),
        ("empty.nt.gz", b"", "empty.nt.gz is empty"),
        ("nothing.nt.gz", gzip.compress(b"", mtime=0), "holds no facts in its 0 lines"),
        ("comments.nt.gz", gzip.compress(b"# a comment\n" * 5_000, mtime=0), "holds no facts in its 5,000 lines"),
        ("zeros.nt", bytes(3 * MB), "all of its 1 lines were refused"),
        ("latin.nt", b"<a:s> <a:p> <a:o\xe9> .\n" * 3, "all of its 3 lines were refused"),
    ],
)
def test_what_is_no_dump_is_refused(refused: Refused, tmp_path: Path, file: str, content: bytes, message: str) -> None:
    (tmp_path / file).write_bytes(content)
    assert message in refused(tmp_path / file)


def test_a_folder_and_a_missing_file_are_refused(refused: Refused, tmp_path: Path) -> None:
    assert refused(tmp_path) == f"Error: {tmp_path} is a folder, not a file. Name the file in it.\n"
    assert refused(tmp_path / "none") == f"Error: {tmp_path / 'none'} does not exist. Check the path.\n"


def test_a_file_that_may_not_be_read_is_refused(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "d.nt.gz"
    path.write_bytes(gzip.compress(GOOD))
    path.chmod(0o200)
    done = run_without_privileges(home, "stage", "wikidata", str(path))
    assert (done.returncode, done.stderr) == (1, f"Error: Permission denied: {path}.\n")


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_compression_bomb_is_refused(refused: Refused, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"bomb.nt{suffix}"
    path.write_bytes(PACKERS[suffix](bytes(100 * MB)) * 10)
    assert f"{path} grows more than 200-fold when it is decompressed" in refused(path)


def test_the_limit_of_growth_can_be_raised(
    factmill: Factmill, tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "comments.nt.gz"
    path.write_bytes(gzip.compress(GOOD) + gzip.compress((b"#" * 9_999 + b"\n") * 8_000))
    monkeypatch.setenv("FACTMILL_MAX_EXPANSION", "20")
    assert "grows more than 20-fold" in factmill("stage", "wikidata", path).err
    monkeypatch.setenv("FACTMILL_MAX_EXPANSION", "1000")
    assert factmill("stage", "wikidata", path).status == 0
    assert _facts(home) == GOOD_FACTS


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(
    ("odd", "rejected"),
    [
        (bytes(MB), {"not N-Triples": 1}),
        (b"\xff\xfe\n<a:s> <a:p> <a:o\xe9> .", {"not UTF-8": 2}),
        (b'<a:s> <a:p> "' + b"x" * 50 * MB + b'" .', {"longer than 1,048,576 bytes": 1}),
    ],
    ids=["zeros", "not UTF-8", "a long line"],
)
def test_odd_lines_are_refused_and_the_rest_is_staged(
    factmill: Factmill, tmp_path: Path, home: Home, odd: bytes, rejected: dict[str, int], suffix: str
) -> None:
    path = tmp_path / f"odd.nt{suffix}"
    half = GOOD.index(b"\n", len(GOOD) // 2) + 1
    path.write_bytes(PACKERS.get(suffix, bytes)(GOOD[:half] + odd + b"\n" + GOOD[half:]))
    outcome = factmill("stage", "wikidata", path, "--json")
    assert (outcome.status, json.loads(outcome.out)["rejected"]) == (0, rejected)
    assert _facts(home) == GOOD_FACTS


@pytest.mark.usefixtures("_small_windows")
def test_a_damaged_window_spoils_those_before_it(refused: Refused, tmp_path: Path, truthy: Path) -> None:
    path = tmp_path / "flip.nt.gz"
    damaged = bytearray(truthy.read_bytes())
    second = find_windows(truthy, WINDOW_BYTES)[1]
    damaged[(second.start + second.end) // 2] ^= 1
    path.write_bytes(damaged)
    assert f"{path} is damaged in the gzip member that starts at byte " in refused(path, "--workers", "1")


def test_a_file_that_is_replaced_while_it_is_read_is_refused(tmp_path: Path, home: Home, truthy: Path) -> None:
    path = Path(shutil.copy(truthy, tmp_path / "d.nt.gz"))
    shutil.copy(truthy, tmp_path / "newer.nt.gz")
    process = start_staging(path, home.root)
    wait_for_windows(process, home.root, 1)
    os.replace(tmp_path / "newer.nt.gz", path)
    _, told = process.communicate()
    assert told == f"Error: {path} changed while it was read. Nothing was staged; run it again.\n"
    assert list(home.staged("wikidata").iterdir()) == []


# --- A gzip file inside a gzip file ---


def _stored(data: bytes) -> bytes:
    """Pack bytes without compressing them, in one block: they stand in the file as they are."""
    head = struct.pack("<BHH", 1, len(data), len(data) ^ 0xFFFF)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + head + data + struct.pack("<II", zlib.crc32(data), len(data))


def _with_crc(before: bytes, after: bytes, wanted: int) -> bytes:
    """Put four bytes between the two so that the CRC of all is as wanted: it is linear in them."""
    plain = zlib.crc32(before + bytes(4) + after)
    rows = []
    for bit in range(32):
        effect = zlib.crc32(before + struct.pack("<I", 1 << bit) + after) ^ plain
        rows.append((effect, 1 << bit))
    chosen, missing = 0, plain ^ wanted
    for bit in range(32):
        pivot = next(row for row in rows if row[0] >> bit & 1)
        rows = [
            (row[0] ^ pivot[0], row[1] ^ pivot[1]) if row[0] >> bit & 1 else row for row in rows if row is not pivot
        ]
        if missing >> bit & 1:
            missing, chosen = missing ^ pivot[0], chosen ^ pivot[1]
    return before + struct.pack("<I", chosen) + after


def _ends_together() -> bytes:
    """A stream in whose text another begins that ends with the same bytes, its length and CRC too."""
    inner = gzip.compress(EVIL, mtime=0)
    padding = len(EVIL) - len(inner) + 8 - 4
    comment = b"#" + b"x" * (padding % 90) + b"\n"
    lines = b"# some comment that fills up the space that is left until the other stream begins, 90 long\n"
    before = b"".join([fact("Q1", "P175", "Q2").encode() + b"\n"]) + lines * (padding // len(lines))
    before = before[: padding - len(comment) - 1] + b"\n" + comment
    whole = _with_crc(before, inner[:-8], zlib.crc32(EVIL))
    packed = _stored(whole)
    assert packed[-8:] == inner[-8:]
    assert gzip.decompress(packed[packed.index(inner[:20]) :]) == EVIL
    return packed


def _hostile() -> dict[str, bytes]:
    inner = b"# " + gzip.compress(EVIL, mtime=0) + b"\n"
    outer = _stored(GOOD[:30_000] + inner + GOOD[30_000:60_000])
    good = gzip.compress(GOOD, mtime=0)
    return {
        "in the middle": good + outer + good,
        "at the end": good + outer,
        "to the last byte": good + _ends_together(),
    }


@pytest.mark.parametrize("where", _hostile())
def test_a_stream_inside_a_stream_is_never_read_for_its_own(
    refused: Refused, tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTMILL_WINDOW_BYTES", "1024")
    path = tmp_path / "hostile.nt.gz"
    path.write_bytes(_hostile()[where])
    embedded = path.read_bytes().index(gzip.compress(EVIL, mtime=0)[:20])
    assert embedded in [window.start for window in find_windows(path, 1024)]
    message = refused(path, "--workers", "1")
    assert f"what begins at byte {embedded:,} looks like a stream, but is a part of one" in message


def test_such_a_file_can_be_read_as_one_window(
    factmill: Factmill, tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hostile.nt.gz"
    path.write_bytes(_hostile()["at the end"])
    monkeypatch.setenv("FACTMILL_WINDOW_BYTES", str(path.stat().st_size))
    assert factmill("stage", "wikidata", path).status == 0
    assert {predicate for predicate, _, _ in _facts(home)} == {175}


# --- A full disk ---


@pytest.mark.usefixtures("_small_windows")
def test_a_full_disk_keeps_the_finished_windows_until_there_is_room(
    factmill: Factmill, small_disk: Path, truthy: Path, undisturbed: Stage, dump: Path
) -> None:
    """The disk grows until all fits, so it is full at one moment of the run after the other."""
    home = Home.open(small_disk / "home", create=True)
    factmill("stage", "wikidata", dump, "--home", home.root)
    before = Stage.current(home, "wikidata").manifest
    n_finished: list[int] = []
    kept: dict[str, dict[str, tuple[int, int]]] = {}
    kilobytes = 1024
    resize_disk(small_disk, kilobytes)
    while (outcome := factmill("stage", "wikidata", truthy, "--home", home.root, "--workers", "2")).status:
        where = home.staged("wikidata")
        assert (outcome.status, outcome.err) == (
            1,
            f"Error: the disk of {where} is full. The windows that were finished are kept, and nothing else was staged:"
            " make room and run it again.\n",
        )
        assert Stage.current(home, "wikidata").manifest == before
        assert {path.suffix for path in home.staged("wikidata").iterdir()} == {"", ".lock", ".unfinished"}
        assert list((home.root / "warehouse").iterdir()) == []
        found = finished_windows(home.root)
        assert {window: files for window, files in found.items() if window in kept} == kept
        kept = found
        n_finished.append(len(kept))
        kilobytes += 64
        resize_disk(small_disk, kilobytes)
    n_windows = len(find_windows(truthy, WINDOW_BYTES))
    assert n_finished == sorted(n_finished)
    assert 0 < n_finished[0] < n_windows == n_finished[-1], "it was full while windows were read, and afterwards"
    assert _same_rows(Stage.current(home, "wikidata"), undisturbed)
    assert {path.suffix for path in home.staged("wikidata").iterdir()} == {""}


# --- Kills and Ctrl-C ---


def test_kills_at_any_moment_damage_nothing(tmp_path: Path, truthy: Path, dump: Path, undisturbed: Stage) -> None:
    stage_wikidata(Home.open(tmp_path / "old", create=True), dump, "en")
    kills = Kills(truthy, tmp_path / "old", tmp_path, seed=6)
    assert _same_rows(kills.new, undisturbed)
    tally = kills.kill(5)
    assert tally.damage == []
    assert tally.n_hits == 5


def test_ctrl_c_keeps_the_finished_windows(
    tmp_path: Path, home: Home, truthy: Path, undisturbed: Stage, factmill: Factmill, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start_staging(truthy, home.root)
    wait_for_windows(process, home.root, 2)
    process.send_signal(signal.SIGINT)
    out, told = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert told == ("Interrupted. What was finished is kept, and nothing half-done is visible. Run it again.\n")
    kept = finished_windows(home.root)
    assert len(kept) >= 2
    assert not (home.staged("wikidata") / "current").exists()

    other = factmill("stage", "wikidata", write_dump(tmp_path / "other.nt.gz"))
    (left,) = home.staged("wikidata").glob("*.unfinished")
    line = f"Unfinished: {left}, of another input or language. Delete it if that will not be staged again.\n"
    assert (other.status, other.out.count(line)) == (0, 1)

    monkeypatch.setenv("FACTMILL_WINDOW_BYTES", str(WINDOW_BYTES))
    again = factmill("stage", "wikidata", truthy)
    assert (again.status, "Unfinished" in again.out) == (0, False)
    stage = Stage.current(home, "wikidata")
    assert _same_rows(stage, undisturbed)
    assert kept == {window: facts_files(stage.facts, window) for window in kept}


@pytest.fixture
def interrupted(home: Home, truthy: Path) -> Path:
    """The folder of a run that was killed after some windows."""
    process = start_staging(truthy, home.root)
    wait_for_windows(process, home.root, 3)
    process.kill()
    process.communicate()
    (folder,) = home.staged("wikidata").glob("*.unfinished")
    return folder


def test_parts_of_other_windows_are_not_used(
    factmill: Factmill, home: Home, interrupted: Path, truthy: Path, undisturbed: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTMILL_WINDOW_BYTES", str(3 * WINDOW_BYTES))
    assert factmill("stage", "wikidata", truthy).status == 0
    assert _same_rows(Stage.current(home, "wikidata"), undisturbed)
    assert not interrupted.exists()


@pytest.mark.usefixtures("_small_windows")
def test_half_a_table_of_entities_is_written_anew(
    factmill: Factmill, home: Home, interrupted: Path, truthy: Path, undisturbed: Stage
) -> None:
    # DuckDB writes beside a file that it replaces; a kill leaves that under such a name.
    (interrupted / "entities").mkdir(exist_ok=True)
    (interrupted / "entities" / "tmp_00000.parquet").write_bytes(b"PAR1 half")
    kept = finished_windows(home.root)
    assert len(kept) >= 3
    assert factmill("stage", "wikidata", truthy).status == 0
    stage = Stage.current(home, "wikidata")
    assert _same_rows(stage, undisturbed)
    assert kept == {window: facts_files(stage.facts, window) for window in kept}


@pytest.mark.usefixtures("_small_windows")
def test_what_is_left_of_a_window_that_was_not_finished_is_not_staged(
    factmill: Factmill, home: Home, interrupted: Path, truthy: Path, undisturbed: Stage
) -> None:
    """Another release may have cut it into more batches."""
    number = len(find_windows(truthy, WINDOW_BYTES)) - 1
    (interrupted / "parts" / f"{number:05}.json").unlink(missing_ok=True)
    for table in ("facts", "about", "pointers"):
        some = next((interrupted / table).glob("00000-*.parquet"))
        shutil.copy(some, interrupted / table / f"{number:05}-077.parquet")
    (interrupted / "rejects" / f"{number:05}.jsonl").write_text("{}\n")
    assert factmill("stage", "wikidata", truthy).status == 0
    assert _same_rows(Stage.current(home, "wikidata"), undisturbed)


def test_what_a_kill_after_the_renaming_left_is_tidied(factmill: Factmill, home: Home, dump: Path) -> None:
    factmill("stage", "wikidata", dump)
    stage = Stage.current(home, "wikidata")
    (home.staged("wikidata") / "current").unlink()
    (stage.folder / "about").mkdir()
    assert "is staged already" in factmill("stage", "wikidata", dump).out
    assert Stage.current(home, "wikidata").manifest == stage.manifest
    assert {path.name for path in stage.folder.iterdir()} == {"entities", "facts", "inputs.json", "manifest.json"}


# --- Company ---


def test_a_second_process_says_that_the_first_is_at_work(
    factmill: Factmill, home: Home, truthy: Path, undisturbed: Stage, dump: Path
) -> None:
    first = start_staging(truthy, home.root)
    wait_for_windows(first, home.root, 1)
    second = factmill("stage", "wikidata", truthy)
    other = factmill("stage", "wikidata", dump)
    assert first.poll() is None, "the first was at work all the time"
    _, told = first.communicate()
    assert (first.returncode, told) == (0, "")
    message = "Error: truthy.nt.gz is being staged by another process. Wait for it.\n"
    assert (second.status, second.err) == (1, message)
    assert (other.status, "Unfinished" in other.out) == (0, False)
    assert _same_rows(Stage.current(home, "wikidata"), undisturbed)
    assert len(list(home.staged("wikidata").iterdir())) == 3, "two snapshots, and which is current"


def test_two_processes_that_start_together_leave_a_good_home(home: Home, truthy: Path, undisturbed: Stage) -> None:
    both = [start_staging(truthy, home.root) for _ in range(2)]
    told = [process.communicate() for process in both]
    statuses = sorted(process.returncode for process in both)
    assert statuses in ([0, 0], [0, 1])
    if statuses == [0, 1]:
        assert "is being staged by another process" in "".join(err for _, err in told)
    assert _same_rows(Stage.current(home, "wikidata"), undisturbed)
    assert len(list(home.staged("wikidata").iterdir())) == 2


# --- The cache of compiled code ---


@pytest.fixture(scope="session")
def compiled_code(truthy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with what staging compiles."""
    cache = tmp_path_factory.mktemp("cache")
    assert _stage_with_cache(tmp_path_factory.mktemp("home"), truthy, cache).returncode == 0
    assert {path.suffix for path in cache.rglob("*read_block*") if path.is_file()} == {".nbc", ".nbi"}
    return cache


def _stage_with_cache(home: Path, dump: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "factmill", "stage", "wikidata", str(dump)]
    environment = small_windows(home) | {"FACTMILL_CACHE": str(cache)}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("content", [b"", b"\x80noise"])
def test_damaged_compiled_code_is_made_anew(
    home: Home, tmp_path: Path, dump: Path, compiled_code: Path, content: bytes
) -> None:
    cache = Path(shutil.copytree(compiled_code, tmp_path / "cache"))
    for path in cache.rglob("*read_block*"):
        path.write_bytes(content)
    done = _stage_with_cache(home.root, dump, cache)
    assert (done.returncode, done.stderr, done.stdout.partition(" about")[0]) == (0, "", "Staged 10 facts")
    assert all(path.read_bytes() != content for path in cache.rglob("*read_block*"))


def test_compiled_code_that_cannot_be_kept_is_used_all_the_same(home: Home, dump: Path, small_disk: Path) -> None:
    resize_disk(small_disk, 100)
    done = _stage_with_cache(home.root, dump, small_disk)
    assert (done.returncode, done.stderr, done.stdout.partition(" about")[0]) == (0, "", "Staged 10 facts")


# --- Memory ---


def _peak_megabytes(home: Home, path: Path) -> int:
    """Stage a file with two workers and windows of the usual size; return the most memory that it took."""
    command = [sys.executable, "-m", "factmill", "stage", "wikidata", str(path), "--workers", "2"]
    environment = small_windows(home.root) | {"FACTMILL_WINDOW_BYTES": str(16 << 20)}
    return cost_of(command, environment).peak_bytes // MB


@pytest.mark.parametrize("what", ["a long line", "100 MB"])
def test_memory_stays_small(home: Home, tmp_path: Path, truthy: Path, what: str) -> None:
    path = tmp_path / "d.nt"
    content = {
        "a long line": lambda: GOOD + b'<a:s> <a:p> "' + b"x" * 50 * MB + b'" .\n' + GOOD,
        "100 MB": lambda: gzip.decompress(truthy.read_bytes()) * 5,
    }
    path.write_bytes(content[what]())
    assert _peak_megabytes(home, path) < 700
