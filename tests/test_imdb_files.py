import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from factmill.errors import ConfigError, SourceFormatError
from factmill.home import Home
from factmill.stage import stage_imdb

BASICS = (
    'tconst\ttitleType\tprimaryTitle\toriginalTitle\tisAdult\nt1\tmovie\tHeat\tHeat\t0\nt2\tmovie\tAbout "Me"\tMoi\t0\n'
)
NAMES = 'nconst\tprimaryName\tbirthYear\nn1\tAl Pacino\t1940\nn2\tRobert "Bob" De Niro\t1943\n'
PRINCIPALS = "tconst\tordering\tnconst\tcategory\tjob\tcharacters\n"


def _folder(tmp_path: Path, rows: list[str], **files: str) -> Path:
    folder = tmp_path / "imdb"
    folder.mkdir()
    texts = {"title.basics": BASICS, "name.basics": NAMES, "title.principals": PRINCIPALS + "".join(rows)} | files
    for name, text in texts.items():
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
    return folder


def test_every_credit_is_a_fact_ignored_or_refused(home: Home, tmp_path: Path) -> None:
    rows = [
        't1\t1\tn1\tactor\t\\N\t["Lt. Vincent Hanna"]\n',
        't1\t2\tn2\tactor\t\\N\t["Neil \\"The Crew\\" McCauley","A Man"]\n',
        't2\t1\tn1\tactress\t\\N\t["Self"]\n',
        "t2\t2\tn2\tactor\t\\N\t\\N\n",
        "t2\t3\tn2\tdirector\t\\N\t\\N\n",
        't2\t4\tn2\tactor\t\\N\t["unterminated\n',
        't2\t5\tn2\tactor\t\\N\t"text"\n',
        't2\t6\tn2\tactor\t\\N\t[""]\n',
        't3\t1\tn2\tactor\t\\N\t["Somebody"]\n',
        't1\t3\tn9\tactor\t\\N\t["Somebody"]\n',
        "t2\t7\tn2\tactor\t\\N\t[null]\n",
        't2\t8\tn2\tactor\t\\N\t[["x"]]\n',
        't2\t9\tn2\t\\N\t\\N\t["No Category"]\n',
        't2\t10\tn2\tactor\t\\N\t["Cop (voice) (uncredited)"]\n',
    ]
    result = stage_imdb(home, _folder(tmp_path, rows), "en")
    facts = pq.read_table(result.stage.facts).to_pylist()
    assert [(row["subject"], row["object"], row["qualifiers"][0]["value"], row["place"]) for row in facts] == [
        ("t1", "n1", "Lt. Vincent Hanna", "title.principals/t1/n1/1"),
        ("t1", "n2", "A Man", "title.principals/t1/n2/2"),
        ("t1", "n2", 'Neil "The Crew" McCauley', "title.principals/t1/n2/2"),
        ("t2", "n2", "Cop", "title.principals/t2/n2/10"),
    ]
    manifest = result.stage.manifest
    assert manifest.lines == 14
    assert manifest.ignored == {"no character given": 1, "not an acting credit": 2, "plays themselves": 1}
    assert manifest.rejected == {
        "the characters are no JSON list of names": 5,
        "the person is not in name.basics": 1,
        "the title is not in title.basics": 1,
    }


def test_quotes_are_text_and_votes_are_popularity(home: Home, tmp_path: Path) -> None:
    folder = _folder(
        tmp_path,
        ['t2\t1\tn2\tactor\t\\N\t["Me"]\n'],
        **{
            "title.ratings": "tconst\taverageRating\tnumVotes\nt2\t7.1\t4321\n",
            "title.akas": "titleId\tordering\ttitle\tregion\nt2\t1\tMe Again\tGB\nt2\t2\tIch\tDE\n",
        },
    )
    entities = {row["id"]: row for row in pq.read_table(stage_imdb(home, folder, "en").stage.entities).to_pylist()}
    assert (entities["t2"]["label"], entities["t2"]["aliases"]) == ('About "Me"', ["Me Again", "Moi"])
    assert (entities["t2"]["popularity"], entities["t2"]["types"]) == (4321, ["movie"])
    assert entities["n2"]["label"] == 'Robert "Bob" De Niro'


def test_packed_and_plain_files_give_the_same_facts(home: Home, tmp_path: Path) -> None:
    folder = _folder(tmp_path, ['t1\t1\tn1\tactor\t\\N\t["Hanna"]\n'])
    plain = pq.read_table(stage_imdb(home, folder, "en").stage.facts)
    for path in list(folder.iterdir()):
        path.with_suffix(".tsv.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert pq.read_table(stage_imdb(home, folder, "en").stage.facts).equals(plain)


def test_a_missing_file_or_a_changed_header_is_named(home: Home, tmp_path: Path) -> None:
    folder = _folder(tmp_path, ['t1\t1\tn1\tactor\t\\N\t["Hanna"]\n'])
    (folder / "title.basics.tsv").write_text(BASICS.replace("primaryTitle", "title"))
    with pytest.raises(SourceFormatError, match=r"title.basics.tsv lacks the column primaryTitle"):
        stage_imdb(home, folder, "en")
    (folder / "title.basics.tsv").unlink()
    with pytest.raises(ConfigError, match=r"lacks title.basics.tsv.gz"):
        stage_imdb(home, folder, "en")
    with pytest.raises(ConfigError, match="is not a folder"):
        stage_imdb(home, tmp_path / "none", "en")


def test_a_damaged_file_is_an_error(home: Home, tmp_path: Path) -> None:
    folder = _folder(tmp_path, ['t1\t1\tn1\tactor\t\\N\t["Hanna"]\n'])
    packed = gzip.compress((folder / "name.basics.tsv").read_bytes())
    (folder / "name.basics.tsv").unlink()
    (folder / "name.basics.tsv.gz").write_bytes(packed[:-12])
    with pytest.raises(SourceFormatError, match=r"cannot be read: .*"):
        stage_imdb(home, folder, "en")
    (folder / "name.basics.tsv.gz").write_bytes(b"<html>")
    with pytest.raises(SourceFormatError, match=r"cannot be read: .*"):
        stage_imdb(home, folder, "en")


def test_all_characters_of_the_real_slices_are_accounted_for(home: Home, shared: Path) -> None:
    for name in ("imdb", "imdb_casts"):
        manifest = stage_imdb(home, shared / name, "en").stage.manifest
        with gzip.open(shared / name / "title.principals.tsv.gz", "rt", encoding="utf-8") as file:
            cells = [line.rstrip("\n").split("\t")[5] for line in file][1:]
        characters = sum(max(1, len(set(json.loads(cell)))) if cell != "\\N" else 1 for cell in cells)
        accounted = manifest.facts + sum(manifest.ignored.values()) + sum(manifest.rejected.values())
        assert accounted == characters
