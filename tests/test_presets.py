"""Presets, and the command that shows and explains what is selected."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from factmill.errors import ConfigError
from factmill.explained import explain_predicate, told_figures
from factmill.home import Home
from factmill.names import ShardName
from factmill.presets import find_preset, preset_names, read_preset
from factmill.stage import stage_wikidata
from factmill.templates import catalogue
from factmill.thresholds import Thresholds
from tests.conftest import Outcome
from tests.dumps import fact, name, write_dump

Factmill = Callable[..., Outcome]


@pytest.fixture
def staged(home: Home, tmp_path: Path) -> Home:
    """An award with too many winners, a thing of too many genres, and a song."""
    lines = [name(f"Q{n}", f"thing {n}") for n in range(1, 9)]
    lines += [fact("Q1", predicate, f"Q{n}") for predicate in ("P1346", "P136") for n in range(2, 9)]
    stage_wikidata(home, write_dump(tmp_path / "d.nt.gz", [*lines, fact("Q1", "P175", "Q2")]), "en")
    return home


def test_the_thesis_pins_its_predicates_and_each_has_a_template() -> None:
    predicates = find_preset("thesis").predicates
    count = {source: sum(shard.source == source for shard in predicates) for source in ("wikidata", "dbpedia", "imdb")}
    assert count == {"wikidata": 21, "dbpedia": 12, "imdb": 1}
    assert set(predicates) <= set(catalogue())


@pytest.mark.parametrize("preset", preset_names())
def test_every_preset_can_be_read(preset: str) -> None:
    assert find_preset(preset).name == preset


def test_a_preset_keeps_what_it_lists_and_nothing_else(factmill: Factmill, staged: Home) -> None:
    rows = {row["shard"]: row for row in json.loads(factmill("select", "--preset", "thesis", "--json").out)}
    because = "pinned by thesis, although 7.0 answers a question on average, the limit is 5.0"
    winner = rows["wikidata/P1346"]
    assert (winner["reason"], winner["remark"], winner["missed"]) == (None, because, ["max_mean_answers"])
    assert rows["wikidata/P136"]["reason"] == "not in the preset thesis"
    assert rows["wikidata/P50"]["reason"] == "no fact of it is staged"
    assert rows["imdb/plays_character_in"]["reason"] == "nothing of imdb is staged"
    assert (rows["wikidata/P175"]["reason"], rows["wikidata/P175"]["remark"]) == (None, None)


def test_a_preset_lists_what_is_not_staged(factmill: Factmill, staged: Home) -> None:
    shown = factmill("select", "--preset", "thesis").out
    assert "wikidata/P50: in the preset, but no fact of it is staged." in shown
    assert "imdb/plays_character_in: in the preset, but nothing of imdb is staged." in shown
    assert "2 more predicates are not in the preset: --everything shows them." in shown
    assert "imdb/" not in factmill("select", "--preset", "thesis", "--source", "wikidata").out


def test_reasons_stand_below_the_table(factmill: Factmill, staged: Home) -> None:
    shown = factmill("select").out
    assert "wikidata/P136 is dropped: 7.0 answers a question on average, the limit is 5.0.\n" in shown
    pinned = "wikidata/P1346 is kept: pinned by thesis, although 7.0 answers a question on average, the limit is 5.0.\n"
    assert pinned in factmill("select", "--preset", "thesis").out
    assert "P136 is dropped" not in factmill("select", "--preset", "thesis", "--everything").out


def test_a_narrow_terminal_does_without_some_columns(
    factmill: Factmill, staged: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "labelled   ambiguous   popularity   verdict" in factmill("select").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in factmill("select").out.splitlines()]
    assert lines[0].split() == ["shard", "facts", "questions", "mean", "most", "labelled", "verdict"]
    assert lines[2].split()[0] == "wikidata/P1346"


def test_augment_mills_what_a_preset_lists(factmill: Factmill, staged: Home) -> None:
    outcome = factmill("augment", "--all", "--preset", "thesis", "--no-index", "--dry-run")
    assert outcome.status == 0
    milled = [line.split(":")[0] for line in outcome.out.splitlines() if "would be written" in line]
    assert milled == ["wikidata/P1346", "wikidata/P175"]
    assert "wikidata/P50: left out, no fact of it is staged." in outcome.out
    assert "P136" not in outcome.out


def test_a_preset_of_thresholds_only_leaves_the_choice_to_them(
    factmill: Factmill, staged: Home, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('description = "More."\n[thresholds]\nmax_mean_answers = 8\n')
    rows = json.loads(factmill("select", "--preset", file, "--json").out)
    assert {row["shard"]: row["reason"] for row in rows if row["has_template"]} == {
        "wikidata/P1346": None,
        "wikidata/P136": None,
        "wikidata/P136~inverse": None,
        "wikidata/P175": None,
    }


def test_explaining_tells_every_figure_its_threshold_and_the_keys_with_the_most_answers(
    factmill: Factmill, staged: Home
) -> None:
    shown = factmill("select", "--explain", "P136").out.splitlines()
    start = shown.index("wikidata/P136 is dropped: 7.0 answers a question on average, the limit is 5.0")
    assert shown[start + 1 : start + 10] == [
        "  facts       7 (at least 1: min_facts)",
        "  questions   1 question key about 1 subject",
        "  answers     7.0 a question on average (limit 5.0: max_mean_answers), 7 at most",
        "  labelled    100.0% of facts on both sides (at least 0.0%: min_labelled_share)",
        "  ambiguous   0.0% of subjects share their name with another (limit 100.0%: max_ambiguous_share)",
        "  popularity  15 for the subject in the middle, in statements about it and pointing to it",
        "  template    there is one",
        "  most        thing 1: 7",
        "wikidata/P136~inverse is kept",
    ]
    inverse = json.loads(factmill("select", "--explain", "wikidata/P136~inverse", "--json").out)
    assert [row["shard"] for row in inverse] == ["wikidata/P136~inverse"]
    assert inverse[0]["samples"][0] == {"names": ["thing 2"], "n_answers": 1}


def test_explaining_tells_what_a_question_set_and_an_analysis_of_gaps_add(staged: Home) -> None:
    linked = {"wikidata": pa.table({"id": pa.array([1], pa.int64()), "n_questions": [3]})}
    (row, _) = explain_predicate(staged, "P136", linked=linked, repairs={ShardName("wikidata", "P136"): 4})
    assert row.reason is not None
    told = list(told_figures(row, Thresholds.of_settings()))
    assert told[2:5] == [
        ("answers", "7.0 a question on average, 7 at most"),
        ("linked", "100.0% of subjects, 1, are mentioned in questions"),
        ("", "about them 7.0 answers a question on average (limit 5.0: max_mean_answers), 7 at most"),
    ]
    assert ("repairs", "4 mistakes (at least 5: min_repairs)") in told


BAD = [
    (["--preset", "theses"], "there is no preset 'theses'. There are: thesis; or name a .toml file."),
    (["--preset", "{tmp}/none.toml"], "none.toml cannot be read: No such file or directory."),
    (["--explain", "P50"], "no fact of 'P50' is staged. See `factmill select --everything`."),
    (["--explain", "imdb/director"], "nothing of imdb is staged"),
    (["--explain", "P 50"], "'P 50' is no predicate. Write P161, dbo:artist or wikidata/P161."),
]


@pytest.mark.parametrize(("words", "message"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_words_get_one_clear_line(
    factmill: Factmill, staged: Home, tmp_path: Path, words: list[str], message: str
) -> None:
    outcome = factmill("select", *(word.replace("{tmp}", str(tmp_path)) for word in words))
    assert (outcome.status, outcome.out) == (1, "")
    assert message in outcome.err


def test_thresholds_that_leave_nothing_are_an_error_after_the_table(
    factmill: Factmill, staged: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTMILL_MAX_MEAN_ANSWERS", "0.5")
    outcome = factmill("select")
    assert outcome.status == 1
    assert "wikidata/P175" in outcome.out
    assert "4 that have a template 4 do not meet max_mean_answers. Change it (FACTMILL_MAX_MEAN_ANSWERS" in outcome.err
    assert "no predicate is left" in factmill("augment", "--all").err


FAULTS = [
    ("predicates = 7", "lacks 'description'"),
    ('description = "x"\npredicates = ["P50"]', "'P50' is not a shard name."),
    ('description = "x"\npredicates = ["wikdata/P50"]', "there is no source 'wikdata'."),
    ('description = "x"\npredicates = ["wikidata/P50", "wikidata/P50"]', "lists wikidata/P50 twice."),
    ('description = "x"\nname = "y"', "has an unknown key 'name'."),
    (
        'description = "x"\n[thresholds]\nmin_facts = -1',
        "wrong 'thresholds.min_facts': Input should be greater than or equal",
    ),
    ('description = "x"\n[thresholds]\nmean = 1', "has an unknown key 'thresholds.mean'."),
    ("description", "is not valid TOML"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_a_faulty_preset_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as error:
        read_preset(file)
    assert str(error.value).startswith(f"{file}")
    assert message in str(error.value)
