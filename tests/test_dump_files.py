"""However a file is packed, cut into streams and read in windows, its lines and their places are the same."""

import bz2
import gzip
import hashlib
import os
import random
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from backports import zstd

from factmill.dumpfile import Window, read_chunks
from factmill.errors import ConfigError, SourceError, SourceFormatError, SourceIncomplete
from factmill.identity import check_digest, file_digest
from factmill.lineblocks import LineBlocks, read_lines
from factmill.windows import find_windows

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstd.compress,
}
Place = tuple[int, int, bytes]


def _placed_lines(path: Path, least_window_bytes: int = 1 << 30, block_bytes: int = 1000) -> list[Place]:
    """Read a file window by window: stream, offset and text of each line."""
    found = []
    for window in find_windows(path, least_window_bytes):
        chunks = read_chunks(path, window, 10_000)
        for block in LineBlocks(block_bytes, 1 << 20).of(chunks, window):
            start = 0
            while start < block.n_bytes:
                piece, line = block.piece_of(start), block.data[start : block.data.index(b"\n", start)]
                found.append((piece.stream, piece.offset, line))
                start += len(line) + 1
    return found


def _lines(path: Path) -> list[str]:
    return [line.decode() for line, _ in read_lines(path)]


def _packed(path: Path, raw: bytes, cuts: list[int], packer: Callable[[bytes], bytes] = gzip.compress) -> Path:
    bounds = [0, *sorted(cuts), len(raw)]
    path.write_bytes(b"".join(packer(raw[a:b]) for a, b in pairwise(bounds)))
    return path


def _awkward(n_lines: int, seed: int) -> bytes:
    """Lines of very different lengths that do not compress well; the last one lacks its line end."""
    chance = random.Random(seed)
    lengths = [chance.choice([0, 1, 40, 40, 40, 20_000 if n % 50 == 0 else 3]) for n in range(n_lines)]
    return b"\n".join([chance.randbytes(length).hex().encode() for length in lengths] + [b"end"])


@pytest.mark.parametrize("suffix", PACKERS)
def test_all_streams_are_read(tmp_path: Path, suffix: str) -> None:
    raw = _awkward(500, 1)
    path = _packed(tmp_path / f"a.nt{suffix}", raw, random.Random(1).sample(range(len(raw)), 20), PACKERS[suffix])
    assert _lines(path) == raw.decode().split("\n")


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_windows_of_any_size_find_the_same_lines_at_the_same_places(tmp_path: Path, suffix: str, seed: int) -> None:
    raw = _awkward(300, seed)
    chance = random.Random(seed)
    cuts = chance.sample(range(len(raw)), 40)
    if seed % 2:
        # Streams that end where lines do, as Wikimedia's.
        cuts = [raw.index(b"\n", cut) + 1 for cut in cuts if b"\n" in raw[cut:]]
    path = _packed(tmp_path / f"a.nt{suffix}", raw, sorted(set(cuts)), PACKERS[suffix])
    whole = _placed_lines(path)
    assert [line for _, _, line in whole] == raw.split(b"\n")
    assert len(find_windows(path, 2_000)) > 3
    for least_window_bytes, block_bytes in ((2_000, 1), (2_000, 100_000), (9_000, 500), (30_000, 5_000)):
        assert _placed_lines(path, least_window_bytes, block_bytes) == whole


def test_a_place_leads_back_to_its_line(tmp_path: Path) -> None:
    raw = _awkward(500, 2)
    path = _packed(tmp_path / "a.nt.gz", raw, random.Random(2).sample(range(len(raw)), 20))
    packed = path.read_bytes()
    for stream, offset, line in random.Random(2).sample(_placed_lines(path, 5_000), 50):
        text, rest = b"", packed[stream:]
        while rest and len(text) < offset + len(line):
            inflate = zlib.decompressobj(31)
            text += inflate.decompress(rest)
            rest = inflate.unused_data
        assert text[offset : offset + len(line)] == line


def test_plain_files_windows_line_ends_and_a_missing_last_line_end_are_read(tmp_path: Path) -> None:
    path = tmp_path / "plain.nt"
    path.write_bytes(b"one\r\ntwo\n\nfour")
    assert _lines(path) == ["one", "two", "", "four"]
    assert [(stream, offset) for stream, offset, _ in _placed_lines(path)] == [(0, 0), (0, 5), (0, 9), (0, 10)]


def test_a_line_beyond_the_limit_is_cut_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path = _packed(tmp_path / "long.nt.gz", b"first\n" + b"x" * 50_000_000 + b"\nlast\n", [30_000_000])
    lines = _placed_lines(path)
    assert [line for _, _, line in lines][::2] == [b"first", b"last"]
    assert 1 << 20 < len(lines[1][2]) < 3 << 20


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst"])
@pytest.mark.parametrize("keep", [-1, -4, -9, 0.5, 5])
def test_a_truncated_file_is_an_error(tmp_path: Path, keep: float, suffix: str) -> None:
    path = _packed(tmp_path / f"cut.nt{suffix}", b"a line of text\n" * 10_000, [40_000], PACKERS[suffix])
    packed = path.read_bytes()
    path.write_bytes(packed[: int(len(packed) * keep) if keep == 0.5 else int(keep)])
    stream = {".gz": "gzip member", ".bz2": "bzip2 stream", ".zst": "Zstandard frame"}[suffix]
    with pytest.raises(SourceIncomplete, match=rf"ends inside a {stream} .* Nothing was staged; fetch the file again"):
        _lines(path)


@pytest.mark.parametrize("suffix", [".gz", ".bz2"])
def test_a_flipped_bit_is_an_error_or_changes_nothing(tmp_path: Path, suffix: str) -> None:
    chance = random.Random(3)
    raw = "\n".join(f"line {chance.random()}" for _ in range(2_000)).encode()
    path = _packed(tmp_path / f"flip.nt{suffix}", raw, [9_000, 20_000], PACKERS[suffix])
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


def test_a_window_that_ends_inside_a_stream_is_noticed(tmp_path: Path) -> None:
    path = _packed(tmp_path / "a.nt.gz", b"line\n" * 1000, [2_000])
    with pytest.raises(SourceFormatError, match="what begins at byte 10 looks like a stream, but is a part of one"):
        list(read_chunks(path, Window(0, 10), 100))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst"])
def test_a_compression_bomb_stops_at_the_limit(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"bomb.nt{suffix}"
    path.write_bytes(PACKERS[suffix](bytes(200_000_000)))
    with pytest.raises(SourceFormatError, match="grows more than 100-fold"):
        for _ in read_chunks(path, Window(0, path.stat().st_size), 100):
            pass


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst"])
def test_a_file_that_is_not_what_its_name_says(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"page.nt{suffix}"
    path.write_text("<html>502 Bad Gateway</html>")
    with pytest.raises(SourceFormatError, match=r"is not a \w+ file: it begins with b'<htm'"):
        _lines(path)


def test_zeros_after_a_gzip_member_are_padding(tmp_path: Path) -> None:
    path = tmp_path / "padded.nt.gz"
    for padding in (1, 511, 300_000):
        path.write_bytes(gzip.compress(b"one\n") + bytes(padding) + gzip.compress(b"two\n") + bytes(padding))
        assert _lines(path) == ["one", "two"]
    path.write_bytes(gzip.compress(b"one\n") + bytes(100) + b"x")
    with pytest.raises(SourceError, match=r"gzip member (that|.the one that) starts at byte"):
        _lines(path)


def test_a_zstandard_file_may_begin_with_a_skippable_frame(tmp_path: Path) -> None:
    path = tmp_path / "parallel.nt.zst"
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"size"
    path.write_bytes((skippable + zstd.compress(b"one\ntwo\n")) * 2)
    assert _lines(path) == ["one", "two"] * 2


def test_a_zstandard_window_beyond_the_limit_is_not_called_damage(tmp_path: Path) -> None:
    path = tmp_path / "long.nt.zst"
    parameter = zstd.CompressionParameter
    packer = zstd.ZstdCompressor(options={parameter.window_log: 28, parameter.enable_long_distance_matching: 1})
    path.write_bytes(packer.compress(b"line\n") + packer.flush())
    with pytest.raises(SourceFormatError, match=r"window too large .* pack it again without that"):
        _lines(path)


def test_what_is_no_file_on_a_disk_says_so(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="is no file on a disk"):
        file_digest(tmp_path / "pipe")


def test_a_path_that_is_not_utf8_says_so(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.nt"))
    path.write_bytes(b"x")
    with pytest.raises(ConfigError, match=r"bad\\xff.nt' is not UTF-8"):
        file_digest(path)


def test_a_missing_or_empty_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        file_digest(tmp_path / "none.nt.gz")
    (tmp_path / "empty.nt.gz").touch()
    with pytest.raises(SourceFormatError, match="is empty"):
        file_digest(tmp_path / "empty.nt.gz")


@pytest.mark.parametrize("kind", ["md5", "sha1", "sha256"])
def test_a_checksum_must_be_that_of_the_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.nt"
    path.write_bytes(b"x")
    check_digest(path, hashlib.new(kind, b"x").hexdigest().upper())
    with pytest.raises(SourceIncomplete, match=f"its {kind.upper()} is"):
        check_digest(path, hashlib.new(kind, b"y").hexdigest())


@pytest.mark.parametrize("text", ["", "abc", "z" * 32])
def test_what_is_no_checksum_is_said(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="is no checksum"):
        check_digest(tmp_path, text)
