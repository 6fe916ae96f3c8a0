"""Which titles are staged: those that a question names, those with enough votes, or all."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from factmill.errors import SourceError
from factmill.home import Home
from factmill.project import load_source
from factmill.stage import StageResult, stage_imdb
from tests.conftest import ROOT, Outcome
from tests.imdb_folders import credit, facts, write_folder

BASICS = [
    "t1 movie Spider-Man:_Homecoming Spider-Man:_Homecoming 0 2017",
    "t2 tvSeries The_Office The_Office 0 2005",
    "t3 movie Amélie Le_fabuleux_destin 0 2001",
    "t4 movie Heat Heat 0 1995",
    "t5 movie Star_Wars:_Episode_IV Star_Wars 0 1977",
    "e1 tvEpisode Pilot Pilot 0 2005",
]
ASKED = {
    "who played spider man in spiderman homecoming": "t1",
    "who plays dwight on the show the office season 3": "t2",
    "who plays her in amelie?": "t3",
    "who starred in the movie le fabuleux destin (2001)": "t3",
    "Who played Han in the original Star Wars movie": "t5",
    "who plays the cop in big heat": None,
    "who directed heat": None,
}


def _questions(path: Path, *questions: str) -> Path:
    path.write_text("".join(json.dumps({"question": text, "answer": ["x"]}) + "\n" for text in questions))
    return path


def _folder(tmp_path: Path) -> Path:
    rows = [credit(f"t{n}", 1, "n1", "actor", '["Lead"]') for n in range(1, 6)]
    rows.append(credit("e1", 1, "n2", "actor", '["Dwight"]'))
    akas = ["t1 1 Homecoming GB", "t4 1 Big_Heat DE"]
    ratings = ["t4 8.3 700", "t1 7.4 650"]
    return write_folder(tmp_path / "imdb", rows, basics=BASICS, akas=akas, ratings=ratings, episode=["e1 t2 1 1"])


def _subjects(result: StageResult) -> set[str]:
    return {fact[0] for fact in facts(result)}


@pytest.mark.parametrize(("question", "title"), ASKED.items())
def test_a_title_is_staged_if_a_question_names_it(home: Home, tmp_path: Path, question: str, title: str | None) -> None:
    file = _questions(tmp_path / "q.jsonl", question, "who plays him in homecoming")
    result = stage_imdb(home, _folder(tmp_path), "en", questions=[file])
    assert _subjects(result) == {"t1"} | ({title} if title else set())


def test_an_episode_is_staged_with_its_series(home: Home, tmp_path: Path) -> None:
    file = _questions(tmp_path / "q.jsonl", "who plays dwight in the office")
    result = stage_imdb(home, _folder(tmp_path), "en", questions=[file])
    assert facts(result) == [
        ("t2", "n2", "Dwight", "title.principals/e1/n2/1"),
        ("t2", "n1", "Lead", "title.principals/t2/n1/1"),
    ]
    assert facts(result, "number_of_seasons") == [("t2", "1", "title.episode/t2")]
    assert facts(result, "release_year") == [("t2", "2005", "title.basics/t2")]
    assert result.stage.manifest.ignored == {"a title that was not asked for": 4}


def test_votes_and_questions_add_up(home: Home, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    file = _questions(tmp_path / "q.jsonl", "who plays dwight in the office")
    assert _subjects(stage_imdb(home, folder, "en", min_votes=700)) == {"t4"}
    assert _subjects(stage_imdb(home, folder, "en", min_votes=650)) == {"t1", "t4"}
    assert _subjects(stage_imdb(home, folder, "en", min_votes=700, questions=[file])) == {"t2", "t4"}
    assert _subjects(stage_imdb(home, folder, "en")) == {"t1", "t2", "t3", "t4", "t5"}


def test_the_scope_is_part_of_the_snapshot_and_of_its_manifest(home: Home, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    first = _questions(tmp_path / "dev.jsonl", "who plays dwight in the office")
    second = _questions(tmp_path / "test.jsonl", "who plays her in amelie")
    scopes: list[tuple[list[Path], int | None]] = [
        ([], None), ([first], None), ([second], None), ([first, second], None), ([], 650), ([first], 650),
    ]  # fmt: skip
    stages = [stage_imdb(home, folder, "en", questions=files, min_votes=votes).stage for files, votes in scopes]
    assert len({stage.manifest.snapshot for stage in stages}) == len(scopes)
    again = stage_imdb(home, folder, "en", questions=[second, first])
    assert (again.is_new, again.stage.manifest.snapshot) == (False, stages[3].manifest.snapshot)
    asked = stages[3].manifest
    assert [(file.name, len(file.sha256)) for file in asked.questions] == [("dev.jsonl", 64), ("test.jsonl", 64)]
    assert (asked.min_votes, stages[4].manifest.min_votes, stages[0].manifest.questions) == (None, 650, [])


def test_a_scope_that_holds_nothing_is_an_error(home: Home, tmp_path: Path) -> None:
    file = _questions(tmp_path / "q.jsonl", "who wrote hamlet")
    folder = _folder(tmp_path)
    with pytest.raises(
        SourceError, match=r"imdb holds no facts of the titles that were asked for\. Nothing was staged"
    ):
        stage_imdb(home, folder, "en", questions=[file])
    with pytest.raises(SourceError, match="no facts of the titles"):
        stage_imdb(home, folder, "en", min_votes=10_000)


def test_the_command_says_that_questions_chose_the_titles(factmill: Callable[..., Outcome], tmp_path: Path) -> None:
    file = _questions(tmp_path / "q.jsonl", "who plays dwight in the office")
    said = factmill("stage", "imdb", _folder(tmp_path), "--questions", file, "--min-votes", "700")
    assert said.status == 0, said.err
    assert "These questions chose the titles: measured on them, this source has an oracle's help." in said.out
    assert "at least 700 votes; titles in q.jsonl" in factmill("stage", "list", "--json").out


def test_the_documented_coverage_is_what_the_pattern_finds(shared: Path) -> None:
    """docs/imdb.md gives figures; they are counted anew here."""
    imdb = load_source("imdb")
    page = (ROOT / "docs" / "imdb.md").read_text(encoding="utf-8")
    found = re.search(r"Of its ([\d,]+) questions ([\d,]+) match the pattern, and ([\d,]+) of these", page)
    assert found is not None
    from factmill.questions import read_questions

    questions = read_questions(shared / "questions" / "nq_dev.jsonl.gz").questions
    matched = [text for text in questions if imdb.matched_title(text)]
    known = set()
    with gzip.open(shared / "imdb_casts" / "title.basics.tsv.gz", "rt", encoding="utf-8") as file:
        for line in list(file)[1:]:
            known |= {_key(title) for title in line.split("\t")[2:4]}
    named = [text for text in matched if {_key(title) for title in imdb.named_titles([text])} & known]
    assert [int(figure.replace(",", "")) for figure in found.groups()] == [len(questions), len(matched), len(named)]


def _key(title: str) -> str:
    import unicodedata

    plain = "".join(c for c in unicodedata.normalize("NFKD", title.lower()) if not unicodedata.combining(c))
    return "".join(c for c in re.sub(r"^(the|an?) +", "", plain).replace("&", "and") if c.isalnum())
