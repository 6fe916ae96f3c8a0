"""Page ids for provenance, from files of titles."""

import gzip
from pathlib import Path

import pytest

from factmill.errors import ConfigError
from factmill.export.formats import Options, export_corpus
from factmill.export.pages import wikipedia_pages
from factmill.home import Home
from factmill.names import ShardName
from tests.export_homes import pair, write_pairs
from tests.format_rules import check_kilt

SONGS = ShardName("wikidata", "P175")


def _ids(home: Home, file: Path, *titles: str | None) -> dict[str, str]:
    with wikipedia_pages(file, home) as pages:
        return pages.ids(titles)


@pytest.mark.parametrize(
    "lines",
    [
        ["Hello_(Adele_song)\t47", "IPod\t0012"],
        ["title\tpage_id", "Hello (Adele song)\t47", "iPod\t12"],
        [
            '{"wikipedia_title": "Hello (Adele song)", "wikipedia_id": "47", "text": []}',
            '{"title": "iPod", "page_id": 12}',
        ],
        ["hello (Adele song)\t47", "Hello  (Adele_song)\t47", "\ufeffiPod\t12"][::-1],
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_title_is_found_however_its_spaces_and_first_letter_are_written(
    home: Home, tmp_path: Path, lines: list[str], packed: bool
) -> None:
    data = "".join(f"{line}\r\n" for line in lines).encode()
    file = tmp_path / ("pages.gz" if packed else "pages")
    file.write_bytes(gzip.compress(data) if packed else data)
    asked = ("Hello (Adele song)", "hello_(Adele_song)", "iPod", "Hello", "HELLO (ADELE SONG)", None, "")
    assert _ids(home, file, *asked) == {"Hello (Adele song)": "47", "hello_(Adele_song)": "47", "iPod": "12"}


@pytest.mark.parametrize(
    "line",
    ["Hello", "Hello\t", "Hello\tQ47", "\t47", "Hello\t-1", "Hello\t4\t7", "{", '{"title": "Hello"}', "[]", "", "²\t²"],
)
def test_a_line_without_title_or_id_is_named(home: Home, tmp_path: Path, line: str) -> None:
    file = tmp_path / "pages.tsv"
    file.write_text(f"Bad\t1\n{line}\nGood\t2\n")
    with pytest.raises(ConfigError, match=r"pages\.tsv, line 2: no title with a page id\. Each line reads"):
        _ids(home, file, "Bad")


def test_a_title_with_two_ids_is_named(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "pages.tsv"
    file.write_text("Hello_world\t1\nhello world\t2\n")
    with pytest.raises(ConfigError, match="the title 'Hello world' has 2 page ids"):
        _ids(home, file, "Hello world")


def test_many_titles_are_read_in_batches(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("factmill.export.pages._LINES_A_BATCH", 100)
    file = tmp_path / "pages.tsv"
    file.write_text("".join(f"Page {n}\t{n}\n" for n in range(250)))
    with wikipedia_pages(file, home) as pages:
        assert pages.ids(f"page_{n}" for n in range(300)) == {f"page_{n}": str(n) for n in range(250)}
        assert pages.ids(["Page 7"]) == {"Page 7": "7"}


def test_a_page_stands_beside_the_first_answer_only_and_none_where_its_id_is_not_known(
    home: Home, tmp_path: Path
) -> None:
    (tmp_path / "pages.tsv").write_text("Hello_(song)\t47\n")
    write_pairs(
        home,
        [
            pair(SONGS, "who sings hello", ["Adele", "Adele Adkins"], wikipedia_title="Hello (song)"),
            pair(SONGS, "who sings bad", ["Michael Jackson"], wikipedia_title="Bad (song)"),
        ],
    )
    exported = export_corpus(
        home, tmp_path / "out.jsonl", "kilt", options=Options(wikipedia_pages=tmp_path / "pages.tsv")
    )
    assert {row["input"]: row["output"] for row in check_kilt(tmp_path / "out.jsonl")} == {
        "who sings hello": [
            {"answer": "Adele", "provenance": [{"wikipedia_id": "47", "title": "Hello (song)"}]},
            {"answer": "Adele Adkins"},
        ],
        "who sings bad": [{"answer": "Michael Jackson"}],
    }
    assert exported.figures == {"with provenance": 1}
