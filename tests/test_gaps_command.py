"""`factmill evaluate`, `gaps` and `errors`, as they are typed."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from factmill.corpus import Corpus
from factmill.error_sheet import COLUMNS
from factmill.home import Home
from factmill.names import ShardName
from factmill.steps import index_corpus
from tests.conftest import Outcome
from tests.gap_stage import gap_home
from tests.pairs import ORIGIN, shard_rows

Factmill = Callable[..., Outcome]
BASE, PERFORMER = ShardName("paq", "base"), ShardName("wikidata", "P175")

GOLD = {
    "who sings hello": ["Adele"],
    "who is the singer of hello": ["Adele"],
    "who directed heat": ["Michael Mann"],
    "who was heat directed by <b>": ["Michael Mann"],
    "when was heat released": ["December 1995"],
    "who knows": ["nobody"],
}


@pytest.fixture
def filled(home: Home, tmp_path: Path) -> Home:
    gap_home(home, tmp_path)
    pairs = {
        BASE: {"who directed heat": "=Somebody", "when was the film heat released": "December 15, 1995"},
        PERFORMER: {"who sings hello": "Adele"},
    }
    for shard, answers in pairs.items():
        Corpus(home).write(shard, shard_rows(shard, answers), ORIGIN)
    list(index_corpus(home))
    return home


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "nq_tiny.jsonl"
    path.write_text("".join(json.dumps({"question": q, "answer": a}) + "\n" for q, a in GOLD.items()))
    return path


def _run_folder(home: Home) -> Path:
    (folder,) = (home.root / "runs").iterdir()
    return folder


TABLES = ("causes", "clusters", "next", "overlap", "predicates", "risk", "scores")


def test_gaps_says_what_to_add_and_leaves_its_tables(factmill: Factmill, filled: Home, questions: Path) -> None:
    outcome = factmill("gaps", "--questions", questions, "-k", "1")
    assert (outcome.status, outcome.err) == (0, "")
    folder = _run_folder(filled)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [f"{name}.{kind}" for name in TABLES for kind in ("csv", "parquet", "tex")]
        + ["errors.csv", "matches.parquet", "metrics.json", "report.html"]
    )
    assert "Staged facts answer 2 of 3 mistakes." in outcome.out
    assert "Mistakes that are asked alike: none." in outcome.out
    assert outcome.out.splitlines()[-2:] == [
        f"Report: {folder}/report.html",
        f"Next: sort the mistakes in {folder}/errors.csv, then factmill errors on that file",
    ]
    predicates = pl.read_parquet(folder / "predicates.parquet").select(pl.nth(range(7)))
    assert predicates.rows() == [
        ("wikidata/P57", "director", 2, 2, 0.0, 1.0, "has a template"),
        ("wikidata/P175", "performer", 2, 0, 100.0, 1.0, "milled"),
        ("wikidata/P577", "publication date", 1, 0, 100.0, 1.0, "has a template"),
    ]
    assert (folder / "next.csv").read_text(encoding="utf-8") == (
        "predicate,label,could mend,so far,next,such as\n"
        "wikidata/P57,director,2,2,factmill augment wikidata/P57,who directed heat\n"
    )
    matches = pl.read_parquet(folder / "matches.parquet").select("source", "predicate", "text", "answer", "is_right")
    assert matches.rows() == [
        ("wikidata", "P175", "who sings hello", "Q10", True),
        ("wikidata", "P175", "who is the singer of hello", "Q10", True),
        ("wikidata", "P57", "who directed heat", "Q22", False),
        ("wikidata", "P57", "who was heat directed by <b>", "Q22", False),
        ("wikidata", "P577", "when was heat released", "1995-12-15T00:00:00Z", True),
    ]
    metrics = json.loads((folder / "metrics.json").read_text())
    assert (metrics["k"], metrics["evaluation"]["n_questions"], len(metrics["predicates"])) == (1, 6, 3)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "who was heat directed by &lt;b&gt; → Michael Mann" in page
    assert "<b>" not in page
    assert '<tr><td colspan="6">None.</td></tr>' in page


def test_the_same_analysis_twice_gives_the_same_files(factmill: Factmill, filled: Home, questions: Path) -> None:
    for _ in range(2):
        assert factmill("gaps", "--questions", questions).status == 0
    one, other = sorted((filled.root / "runs").iterdir())
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    assert [name for name in names if (one / name).read_bytes() != (other / name).read_bytes()] == []


def test_gaps_prints_json_for_machines(factmill: Factmill, filled: Home, questions: Path) -> None:
    outcome = factmill("gaps", "--questions", questions, "-k", "1", "--json", "--errors", "0", "--source", "wikidata")
    found = json.loads(outcome.out)
    assert list(found) == ["evaluation", "n_mistakes", "n_mendable", "predicates", "steps", "clusters", "report"]
    assert (found["n_mistakes"], found["n_mendable"], found["clusters"]) == (3, 2, [])
    assert found["steps"] == [
        {
            "way": {"source": "wikidata", "predicate": "P57", "inverse": False, "path": ""},
            "label": "director",
            "n_mended": 2,
            "n_mended_so_far": 2,
            "advice": "factmill augment wikidata/P57",
            "numbers": [2, 3],
        }
    ]
    assert Path(found["report"]) == _run_folder(filled) / "report.html"
    assert not (_run_folder(filled) / "errors.csv").exists()


def test_the_error_sheet_is_filled_by_a_person_and_counted(factmill: Factmill, filled: Home, questions: Path) -> None:
    factmill("gaps", "--questions", questions, "-k", "1")
    sheet = _run_folder(filled) / "errors.csv"
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = {row["question"]: row for row in csv.DictReader(file)}
    # What exact match counts as wrong, with what EM_norm forgives.
    assert {question: (row["suggested"], row["why"]) for question, row in rows.items()} == {
        "who directed heat": ("wrong pair", "the same question is in the corpus with another answer: =Somebody"),
        "who was heat directed by <b>": ("coverage: structured", "a staged fact answers it: wikidata/P57"),
        "when was heat released": ("granularity", "EM_norm accepts an answer by its date"),
        "who knows": ("coverage: unstructured", "no pair has a gold answer, and no staged fact answers it"),
    }
    assert factmill("errors", sheet).out == "0 mistakes have a category, 4 have none.\n"
    for question in ("who knows", "who directed heat", "when was heat released"):
        rows[question]["category"] = rows[question]["suggested"]
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter=";")
        writer.writeheader()
        writer.writerows(rows.values())
    told = factmill("errors", sheet).out
    assert "3 mistakes have a category, 1 have none." in told
    table = json.loads(factmill("errors", sheet, "--json").out)
    assert {share["category"]: share["n"] for share in table["shares"] if share["n"]} == {
        "coverage: unstructured": 1,
        "wrong pair": 1,
        "granularity": 1,
    }


def test_another_system_is_analysed_from_what_it_answered(
    factmill: Factmill, filled: Home, questions: Path, tmp_path: Path
) -> None:
    path = tmp_path / "system.txt"
    path.write_text("Adele\nAdele\nMann\nMann\n1995-12-24\nnobody\n")
    outcome = factmill("gaps", "--questions", questions, "--predictions", path, "--json")
    found = json.loads(outcome.out)
    assert (found["evaluation"]["system"], found["n_mistakes"], found["n_mendable"]) == ("system.txt", 2, 2)


def test_predictions_can_be_judged_without_a_home(factmill: Factmill, questions: Path, tmp_path: Path) -> None:
    path = tmp_path / "system.txt"
    path.write_text("Adele\nAdele\nMann\nMann\nDecember 24, 1995\nnobody\n")
    outcome = factmill("evaluate", "--questions", questions, "--predictions", path)
    assert outcome.status == 0
    lines = [line.split() for line in outcome.out.splitlines()]
    assert ["1", "3", "50.00", "0.00", "16.67", "0.00", "66.67"] in lines
    named = factmill("evaluate", "--questions", questions, "--predictions", path, "--home", tmp_path / "none")
    assert (named.status, "is not a factmill home" in named.err) == (1, True)


def test_evaluate_tells_scores_causes_overlap_and_risk(factmill: Factmill, filled: Home, questions: Path) -> None:
    outcome = factmill("evaluate", "--questions", questions)
    titles = ("nq_tiny.jsonl, 6 questions: corpus", "Why the first answer is wrong", "Overlap with the imported base")
    assert [line for line in outcome.out.splitlines() if line in titles] == list(titles)
    result = json.loads(factmill("evaluate", "--questions", questions, "--json").out)
    assert [(at["k"], at["n_right"], at["em"]) for at in result["at"]] == [
        (1, 2, pytest.approx(100 / 3)),
        (5, 2, pytest.approx(100 / 3)),
        (50, 2, pytest.approx(100 / 3)),
    ]
    assert result["causes"] == {"n_mistakes": 4, "n_not_held": 4, "n_not_found": 0, "n_ranked_below": 0}
    assert [(group["name"], group["n_questions"]) for group in result["overlap"]] == [
        ("the base asks it", 1),
        ("the base only has its answer", 0),
        ("neither", 5),
    ]


@pytest.mark.parametrize("option", [["--shard", "paq/base"], ["--output", "x.jsonl"], ["--view", "known"]])
@pytest.mark.parametrize("command", ["evaluate", "gaps"])
def test_predictions_go_without_what_is_for_a_search(
    factmill: Factmill, filled: Home, questions: Path, command: str, option: list[str]
) -> None:
    if command == "gaps" and option[0] == "--output":
        option = ["--shard", "wikidata/P175"]
    outcome = factmill(command, "--questions", questions, "--predictions", questions, *option)
    assert (outcome.status, "--predictions goes without --shard, --output and --view" in outcome.err) == (2, True)


def _error(outcome: Outcome) -> str:
    """Return the message of a command that failed with one line."""
    assert (outcome.status, outcome.out) == (1, "")
    (line,) = outcome.err.splitlines()
    return line


def test_what_is_wrong_is_said_in_one_line(factmill: Factmill, filled: Home, questions: Path, tmp_path: Path) -> None:
    empty, short = tmp_path / "empty.jsonl", tmp_path / "short.txt"
    empty.write_text("")
    short.write_text("Adele\n")
    assert "is empty" in _error(factmill("gaps", "--questions", empty))
    assert f"{tmp_path}/none.jsonl" in _error(factmill("gaps", "--questions", tmp_path / "none.jsonl"))
    assert "there must be one prediction for each of 6" in _error(
        factmill("gaps", "--questions", questions, "--predictions", short)
    )
    assert "nothing is staged from imdb. There is: wikidata." in _error(
        factmill("gaps", "--questions", questions, "--source", "imdb")
    )
    assert "has no shard wikidata/P99" in _error(factmill("gaps", "--questions", questions, "--shard", "wikidata/P99"))
    assert "there is no view" in _error(factmill("gaps", "--questions", questions, "--view", "none")).lower()
    assert not (filled.root / "runs").exists()


def test_a_stage_that_is_gone_is_said_in_one_line(factmill: Factmill, filled: Home, questions: Path) -> None:
    shutil.rmtree(next(path for path in filled.staged("wikidata").iterdir() if path.is_dir()))
    assert "wikidata" in _error(factmill("gaps", "--questions", questions))


def test_an_index_that_is_missing_is_said_in_one_line(factmill: Factmill, filled: Home, questions: Path) -> None:
    shutil.rmtree(filled.root / "index")
    assert "is not indexed. Run `factmill index`." in _error(factmill("gaps", "--questions", questions))


def test_without_a_stage_there_are_no_gaps_to_find(factmill: Factmill, home: Home, questions: Path) -> None:
    Corpus(home).write(BASE, shard_rows(BASE, ["who sings hello"]), ORIGIN)
    list(index_corpus(home))
    assert "so there are no facts to look in. Run `factmill stage …`." in _error(
        factmill("gaps", "--questions", questions)
    )
    assert factmill("evaluate", "--questions", questions).status == 0


def test_the_selection_goes_by_the_mistakes_that_a_predicate_could_repair(
    factmill: Factmill, filled: Home, questions: Path, tmp_path: Path
) -> None:
    factmill("gaps", "--questions", questions, "-k", "1")
    run = _run_folder(filled)
    rows = json.loads(factmill("select", "--gaps", run, "--json").out)
    repairs = {row["shard"]: row["n_repairs"] for row in rows if row["has_template"]}
    told = json.loads((run / "metrics.json").read_text())["predicates"]
    expected = dict.fromkeys(repairs, 0)
    for row in told:
        expected |= {shard: row["n_mistakes"] for shard in row["shards"] if shard in expected}
    assert repairs == expected
    assert sum(repairs.values()) == 2
    for odd, message in ((tmp_path / "none", "cannot be read"), (questions, "is not what `factmill gaps` writes")):
        outcome = factmill("select", "--gaps", odd)
        assert (outcome.status, outcome.out) == (1, "")
        assert message in outcome.err
