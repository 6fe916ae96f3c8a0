import gzip
import random
import zlib
from itertools import pairwise
from pathlib import Path

import pytest

from factmill.dumpfile import file_digest, read_lines
from factmill.errors import ConfigError, SourceError, SourceFormatError, SourceIncomplete


def _lines(path: Path) -> list[str]:
    return [line.text.decode() for line, _ in read_lines(path)]


def _members(path: Path, raw: bytes, cuts: list[int]) -> Path:
    bounds = [0, *sorted(cuts), len(raw)]
    path.write_bytes(b"".join(gzip.compress(raw[a:b]) for a, b in pairwise(bounds)))
    return path


@pytest.fixture
def awkward(tmp_path: Path) -> tuple[Path, list[str]]:
    """Lines of very different lengths in members that are cut in the middle of lines."""
    chance = random.Random(1)
    lines = [f"{n} " * chance.randint(0, 300_000 if n % 50 == 0 else 40) for n in range(500)] + ["end"]
    raw = "\n".join(lines).encode()
    return _members(tmp_path / "awkward.gz", raw, chance.sample(range(len(raw)), 20)), lines


def test_all_members_are_read(awkward: tuple[Path, list[str]]) -> None:
    path, lines = awkward
    assert _lines(path) == lines


def test_a_place_leads_back_to_its_line(awkward: tuple[Path, list[str]]) -> None:
    path, _ = awkward
    packed = path.read_bytes()
    for line, _ in random.Random(2).sample(list(read_lines(path)), 50):
        text, rest = b"", packed[line.member :]
        while rest and len(text) < line.offset + len(line.text):
            inflate = zlib.decompressobj(31)
            text += inflate.decompress(rest)
            rest = inflate.unused_data
        assert text[line.offset : line.offset + len(line.text)] == line.text


def test_plain_files_windows_line_ends_and_a_missing_last_line_end_are_read(tmp_path: Path) -> None:
    path = tmp_path / "plain.nt"
    path.write_bytes(b"one\r\ntwo\n\nfour")
    assert _lines(path) == ["one", "two", "", "four"]
    assert [line.offset for line, _ in read_lines(path)] == [0, 5, 9, 10]


@pytest.mark.parametrize("keep", [-1, -4, -9, 0.5, 5])
def test_a_truncated_file_is_an_error(tmp_path: Path, keep: float) -> None:
    path = _members(tmp_path / "cut.nt.gz", b"a line of text\n" * 10_000, [40_000])
    packed = path.read_bytes()
    path.write_bytes(packed[: int(len(packed) * keep) if keep == 0.5 else int(keep)])
    with pytest.raises(
        SourceIncomplete, match=r"ends inside a gzip member .* Nothing was staged; fetch the file again"
    ):
        _lines(path)


def test_a_flipped_bit_is_an_error_or_changes_nothing(tmp_path: Path) -> None:
    chance = random.Random(3)
    raw = "\n".join(f"line {chance.random()}" for _ in range(2_000)).encode()
    path = _members(tmp_path / "flip.nt.gz", raw, [9_000, 20_000])
    packed = path.read_bytes()
    caught = 0
    for _ in range(60):
        damaged = bytearray(packed)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            # Some header bytes (time, system) mean nothing.
            assert "\n".join(_lines(path)).encode() == raw
        except SourceError:
            caught += 1
    assert caught > 50


def test_a_file_that_is_not_gzip_says_so(tmp_path: Path) -> None:
    path = tmp_path / "page.nt.gz"
    path.write_text("<html>502 Bad Gateway</html>")
    with pytest.raises(SourceFormatError, match="is not a gzip file"):
        _lines(path)


def test_a_missing_or_empty_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        file_digest(tmp_path / "none.nt.gz")
    (tmp_path / "empty.nt.gz").touch()
    with pytest.raises(SourceFormatError, match="is empty"):
        file_digest(tmp_path / "empty.nt.gz")
