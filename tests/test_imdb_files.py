"""What IMDb's files may look like: every row is a fact, ignored or refused, or the file is an error."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from factmill.errors import ConfigError, SourceError, SourceFormatError
from factmill.home import Home
from factmill.stage import stage_imdb
from tests.conftest import Outcome
from tests.imdb_folders import credit, entities, facts, write_folder

HANNA = credit("t1", 1, "n1", "actor", '["Hanna"]')


def test_every_credit_is_a_fact_ignored_or_refused(home: Home, tmp_path: Path) -> None:
    rows = [
        credit("t1", 1, "n1", "actor", '["Lt. Vincent Hanna"]'),
        credit("t1", 2, "n2", "actor", '["Neil \\"The Crew\\" McCauley","A Man"]'),
        credit("t2", 1, "n1", "actress", '["Self"]'),
        credit("t2", 2, "n2", "actor"),
        credit("t2", 3, "n2", "director"),
        credit("t2", 4, "n2", "actor", '["unterminated'),
        credit("t2", 5, "n2", "actor", '"text"'),
        credit("t2", 6, "n2", "actor", '[""]'),
        credit("t3", 1, "n2", "actor", '["Somebody"]'),
        credit("t1", 3, "n9", "actor", '["Somebody"]'),
        credit("t2", 7, "n2", "actor", "[null]"),
        credit("t2", 8, "n2", "actor", '[["x"]]'),
        credit("t2", 9, "n2", "\\N", '["No Category"]'),
        credit("t2", 10, "n2", "actor", '["Cop (voice) (uncredited)"]'),
        credit("t2", 11, "n2", "actor", '["(uncredited)"]'),
        credit("t2", "x", "n2", "actor", '["Late"]'),
        credit("t2", 12, "n2", "self", '["Host"]'),
        credit("t2", 13, "n2", "producer"),
        credit("t2", 14, "n2", "actor", '["Cop","COP / Robber"]'),
        credit("t2", 15, "n2", "writer"),
        credit("t2", 16, "n2", "actor", '["\\ud800"]'),
        credit("t2", 17, "\\N", "actor", '["Nobody"]'),
        credit("t2", 18, "n2", "actor", "[]"),
    ]
    result = stage_imdb(home, write_folder(tmp_path / "imdb", rows), "en")
    assert facts(result) == [
        ("t1", "n1", "Vincent Hanna", "title.principals/t1/n1/1"),
        ("t1", "n2", "A Man", "title.principals/t1/n2/2"),
        ("t1", "n2", 'Neil "The Crew" McCauley', "title.principals/t1/n2/2"),
        ("t2", "n2", "Cop", "title.principals/t2/n2/10"),
        ("t2", "n2", "COP", "title.principals/t2/n2/14"),
        ("t2", "n2", "Robber", "title.principals/t2/n2/14"),
    ]
    assert facts(result, "director") == [("t2", "n2", "title.principals/t2/n2/3")]
    assert facts(result, "writer") == [("t2", "n2", "title.principals/t2/n2/15")]
    assert facts(result, "release_year") == [("t1", "1995", "title.basics/t1")]
    manifest = result.stage.manifest
    assert manifest.lines == len(rows)
    assert manifest.facts_by_kind == {"date": 1, "entity": 8}
    assert manifest.ignored == {
        "not a credit for a character, directing or writing": 4,
        "plays themselves": 1,
        "said by an earlier credit": 1,
    }
    assert manifest.rejected == {
        "nothing is left of the name of the character": 1,
        "the characters are no JSON list of names": 7,
        "the ordering is no number": 1,
        "the person is not in name.basics": 2,
        "the title is not in title.basics": 1,
    }


def test_a_refused_credit_keeps_its_place_and_text(home: Home, tmp_path: Path) -> None:
    rows = [HANNA, credit("t9", 2, "n1", "actor", '["Who"]'), credit("t2", 3, "n2", "actor", '["(voice)"]')]
    rejects = stage_imdb(home, write_folder(tmp_path / "imdb", rows), "en").rejects
    assert rejects is not None
    assert [json.loads(line) for line in rejects.read_text().splitlines()] == [
        {
            "reason": "nothing is left of the name of the character",
            "place": "title.principals/t2/n2/3",
            "text": "(voice)",
        },
        {"reason": "the title is not in title.basics", "place": "title.principals/t9/n1/2", "text": '["Who"]'},
    ]


def test_quotes_are_text_and_votes_are_popularity(home: Home, tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "imdb",
        [credit("t2", 1, "n2", "actor", '["Me"]'), HANNA],
        basics=['t2 movie About_"Me" Moi 0 2001', "t1 movie Heat Heat 0 \\N"],
        names=['n2 Robert_"Bob"_De_Niro 1943', "n1 Al_Pacino 1940"],
        ratings=["t2 7.1 4321"],
        akas=["t2 1 Me_Again GB", "t2 2 Ich DE", 't2 3 About_"Me" US', "t2 4 Me_Again IE", "t1 1 \\N US"],
    )
    found = entities(stage_imdb(home, folder, "en"))
    assert list(found) == ["n1", "n2", "t1", "t2"]
    assert found["t2"] == {
        "id": "t2",
        "label": 'About "Me"',
        "aliases": ["Me Again", "Moi"],
        "description": None,
        "types": ["movie"],
        "n_statements": 2,
        "in_degree": 0,
        "sitelinks": None,
        "wikipedia_title": None,
        "same_as": [],
        "popularity": 4321,
    }
    assert found["n2"] == {
        "id": "n2",
        "label": 'Robert "Bob" De Niro',
        "aliases": [],
        "description": None,
        "types": [],
        "n_statements": 0,
        "in_degree": 1,
        "sitelinks": None,
        "wikipedia_title": None,
        "same_as": [],
        "popularity": 1,
    }
    assert found["t1"]["popularity"] == found["t1"]["n_statements"] == 1


def test_entities_have_the_columns_of_other_sources(home: Home, dump: Path, tmp_path: Path) -> None:
    from factmill.stage import stage_wikidata

    other = pq.read_schema(next(stage_wikidata(home, dump, "en").stage.entities.glob("*.parquet")))
    for file in stage_imdb(home, write_folder(tmp_path / "imdb", [HANNA]), "en").stage.entities.glob("*.parquet"):
        ours = pq.read_schema(file)
        assert ours.names == other.names
        assert [field.type for field in ours][1:] == [field.type for field in other][1:]


@pytest.mark.parametrize("change", ["packed", "crlf", "no final newline", "byte order mark"])
def test_other_forms_of_the_files_give_the_same_facts(home: Home, tmp_path: Path, change: str) -> None:
    rows = [HANNA, credit("t2", 1, "n2", "actor", '["Neil \\"The Crew\\" McCauley"]')]
    folder = write_folder(tmp_path / "imdb", rows)
    plain = stage_imdb(home, folder, "en").stage
    for path in list(folder.iterdir()):
        data = path.read_bytes()
        path.unlink()
        if change == "packed":
            # IMDb may write several members one after the other.
            half = data.index(b"\n") + 3
            path.with_suffix(".tsv.gz").write_bytes(gzip.compress(data[:half]) + gzip.compress(data[half:]))
        elif change == "crlf":
            path.write_bytes(data.replace(b"\n", b"\r\n"))
        elif change == "no final newline":
            path.write_bytes(data.removesuffix(b"\n"))
        else:
            path.write_bytes(b"\xef\xbb\xbf" + data)
    again = stage_imdb(home, folder, "en").stage
    assert again.folder != plain.folder
    for table in ("facts", "entities"):
        assert pq.read_table(getattr(again, table)).equals(pq.read_table(getattr(plain, table)))


def test_odd_rows_are_refused_with_their_line(home: Home, tmp_path: Path) -> None:
    rows = [HANNA, "t1\t2\tn1", HANNA + "\tx", credit("t2", 1, "n2", "actor", '["Me"]')]
    folder = write_folder(tmp_path / "imdb", rows, names=["n1 Al_Pacino 1940", "n2 Robert 1943", "n3"])
    with (folder / "title.principals.tsv").open("ab") as file:
        file.write(b't1\t5\tn\xff\tactor\t\\N\t["X"]\n')
        file.write(b't1\t6\tn1\tactor\t\\N\t["' + b"x" * 3_000_000 + b'"]\n')
        file.write(b't1\t7\tn1\tactor\t\\N\t["Last"]')
    result = stage_imdb(home, folder, "en")
    assert [fact[2] for fact in facts(result)] == ["Hanna", "Last", "Me"]
    assert result.rejects is not None
    found = [json.loads(line) for line in result.rejects.read_text().splitlines()]
    assert [(row["place"], row["reason"], row["text"][:9]) for row in found] == [
        ("title.principals line 3", "the row has fewer columns than the header", "t1\t2\tn1"),
        ("title.principals line 4", "the row has more columns than the header", "t1\t1\tn1\ta"),
        ("title.principals line 6", "the row is not UTF-8", "t1\t5\tn?\ta"),
        ("title.principals line 7", "the row is longer than 2 MB", "t1\t6\tn1\ta"),
        ("name.basics line 4", "the row has fewer columns than the header", "n3"),
    ]
    assert result.stage.manifest.lines == 7


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("title.principals", b'"Hanna"]\n', b'"Han\rna"]\n', "cannot be read: a line ends in another way"),
        ("title.basics", b"primaryTitle", b"title", r"title.basics.tsv lacks the column primaryTitle"),
        ("title.basics", b"t2\tmovie", b"t1\tmovie", "title.basics.tsv has an id twice"),
        ("name.basics", b"n2\t", b"n1\t", "name.basics.tsv has an id twice"),
        ("title.episode", b"e1\tt1\t1\t1\n", b"e1\tt1\t1\t1\ne1\tt1\t1\t2\n", "title.episode.tsv has an id twice"),
        ("title.basics", b"tconst", b"\xfftconst", "title.basics.tsv cannot be read"),
        (
            "title.basics",
            b"\tisAdult\t",
            b"\ttconst\t",
            "title.basics.tsv cannot be read: its header names a column twice",
        ),
    ],
)
def test_a_file_that_is_not_imdbs_is_an_error(
    home: Home, tmp_path: Path, name: str, old: bytes, new: bytes, message: str
) -> None:
    basics = ["t1 movie Heat Heat 0 1995", "t2 movie Me Moi 0 1995", "e1 tvEpisode Pilot Pilot 0 1995"]
    folder = write_folder(tmp_path / "imdb", [HANNA], basics=basics, episode=["e1 t1 1 1"])
    file = folder / f"{name}.tsv"
    assert old in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(old, new))
    with pytest.raises(SourceFormatError, match=message):
        stage_imdb(home, folder, "en")
    assert list(home.staged("imdb").iterdir()) == []


def test_a_missing_file_is_named(home: Home, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "imdb", [HANNA])
    (folder / "title.basics.tsv").unlink()
    with pytest.raises(ConfigError, match=r"lacks title.basics.tsv.gz"):
        stage_imdb(home, folder, "en")
    with pytest.raises(ConfigError, match="is not a folder"):
        stage_imdb(home, tmp_path / "none", "en")


def test_a_damaged_file_is_an_error_and_nothing_is_staged(home: Home, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "imdb", [HANNA])
    whole = gzip.compress((folder / "title.principals.tsv").read_bytes())
    (folder / "title.principals.tsv").unlink()
    flipped = bytearray(whole)
    flipped[-6] ^= 1
    cuts = [whole[:-n] for n in (1, 8, 12, len(whole) // 2)]
    for data in (*cuts, bytes(flipped), b"<html>", whole + b"garbage"):
        (folder / "title.principals.tsv.gz").write_bytes(data)
        with pytest.raises(SourceError, match=r"title.principals.tsv.gz .*Nothing was staged"):
            stage_imdb(home, folder, "en")
    assert list(home.staged("imdb").iterdir()) == []
    assert list((home.root / "warehouse").iterdir()) == []


def test_the_command_says_how_many_characters_titles_have(factmill: Callable[..., Outcome], tmp_path: Path) -> None:
    rows = [HANNA, credit("t1", 2, "n2", "actor", '["Neil","Man"]'), credit("t2", 1, "n2", "actor", '["Me"]')]
    said = factmill("stage", "imdb", write_folder(tmp_path / "imdb", rows))
    assert said.status == 0, said.err
    for line in ("Titles with characters: 2.", "Characters per title: 2.", "Median characters per title: 2."):
        assert line in said.out.splitlines()
    again = json.loads(factmill("stage", "imdb", tmp_path / "imdb", "--json").out)
    assert again["figures"] == {
        "characters_per_title": 2.0,
        "median_characters_per_title": 2.0,
        "titles_with_characters": 2.0,
    }


def test_a_title_whose_name_is_not_utf8_is_refused_with_its_credits(home: Home, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "imdb", [HANNA, credit("t2", 1, "n2", "actor", '["Me"]')])
    file = folder / "title.basics.tsv"
    file.write_bytes(file.read_bytes().replace(b"Moi", b"\xff"))
    result = stage_imdb(home, folder, "en")
    assert [fact[:3] for fact in facts(result)] == [("t1", "n1", "Hanna")]
    assert result.stage.manifest.rejected == {"the row is not UTF-8": 1, "the title is not in title.basics": 1}


def test_a_folder_whose_name_is_a_pattern_is_read_itself(home: Home, tmp_path: Path) -> None:
    right = write_folder(tmp_path / "im[d]b", [credit("t1", 1, "n1", "actor", '["Right"]')])
    write_folder(tmp_path / "imdb", [credit("t1", 1, "n1", "actor", '["Wrong"]')])
    assert facts(stage_imdb(home, right, "en")) == [("t1", "n1", "Right", "title.principals/t1/n1/1")]


def test_a_refused_credit_keeps_its_text_and_an_ordering_is_never_negative(home: Home, tmp_path: Path) -> None:
    rows = [
        credit("t1", 1, "n1", "actor", '["Vincent Hanna"]'),
        credit("t1", 2, "n2", "actor", '["B",["C"]]'),
        credit("t2", -5, "n2", "actor", '["Nobody"]'),
    ]
    result = stage_imdb(home, write_folder(tmp_path / "imdb", rows), "en")
    assert {fact[2] for fact in facts(result)} == {"Vincent Hanna", "B"}
    assert result.rejects is not None
    refused = [json.loads(line) for line in result.rejects.read_text().splitlines()]
    assert sorted((row["reason"], row["text"]) for row in refused) == [
        ("the characters are no JSON list of names", '["B",["C"]]'),
        ("the ordering is no number", '["Nobody"]'),
    ]


def test_each_of_several_characters_may_be_oneself(home: Home, tmp_path: Path) -> None:
    rows = [
        credit("t1", 1, "n1", "actor", '["Narrator / Self"]'),
        credit("t1", 2, "n2", "actor", '["Himself / Batman"," Herself"]'),
    ]
    result = stage_imdb(home, write_folder(tmp_path / "imdb", rows), "en")
    assert {fact[2] for fact in facts(result)} == {"Narrator", "Batman"}
    assert result.stage.manifest.ignored["plays themselves"] == 3


def test_votes_need_the_file_of_votes(home: Home, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "imdb", [credit("t1", 1, "n1", "actor", '["Vincent Hanna"]')])
    with pytest.raises(ConfigError, match="so no title has votes"):
        stage_imdb(home, folder, "en", min_votes=5)
