"""`factmill link`, and linking by predictions of GENRE."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from factmill.errors import SourceFormatError
from factmill.genre import GenreLinker
from factmill.home import Home
from factmill.linker import Mention
from factmill.stage import stage_wikidata
from tests.conftest import Outcome
from tests.dumps import fact, name, write_dump
from tests.linked_stage import linked_home

Factmill = Callable[..., Outcome]


@pytest.fixture
def staged(home: Home, tmp_path: Path) -> Home:
    return linked_home(home, tmp_path)


def test_the_command_shows_span_entity_and_score(factmill: Factmill, staged: Home) -> None:
    outcome = factmill("link", "Where was Adele born?", "what is love", "--home", staged.root)
    first, _, linked, nothing, told = outcome.out.splitlines()
    assert first.split() == ["question", "span", "entity", "label", "score"]
    *words, score = linked.split()
    assert words == ["Where", "was", "Adele", "born?", "Adele", "Q10", "Adele"]
    assert 0.5 < float(score) <= 1
    assert nothing.split() == ["what", "is", "love"]
    assert told == "Linked: 1 of 2 questions."


def test_a_file_of_questions_gives_json_for_machines(factmill: Factmill, staged: Home, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "who sings hello", "answer": ["Adele"]}\n')
    outcome = factmill("link", "--questions", file, "-k", "2", "--threshold", "0", "--json", "--home", staged.root)
    (row,) = json.loads(outcome.out)
    assert row["question"] == "who sings hello"
    assert [(one["start"], one["end"], one["text"], one["entity"], one["label"]) for one in row["mentions"]] == [
        (10, 15, "hello", "Q1", "Hello"),
        (10, 15, "hello", "Q2", "Hello"),
    ]


def test_questions_or_a_file_not_both(factmill: Factmill, tmp_path: Path) -> None:
    assert factmill("link").status == 2
    assert factmill("link", "who", "--questions", tmp_path / "f").status == 2


def test_a_source_that_is_not_staged_is_named(factmill: Factmill, staged: Home) -> None:
    outcome = factmill("link", "who sings hello", "--source", "imdb", "--home", staged.root)
    assert (outcome.status, "nothing of imdb is staged" in outcome.err) == (1, True)


@pytest.fixture
def titled(home: Home, tmp_path: Path) -> Home:
    item = "<http://www.wikidata.org/entity/Q1>"
    page = "<https://en.wikipedia.org/wiki/Hello_(Adele_song)>"
    second = tmp_path / "full.nt.gz"
    second.write_bytes(gzip.compress(f"{page} <http://schema.org/about> {item} .\n".encode()))
    named = [name("Q1", "Hello"), fact("Q1", "P175", "Q10")]
    stage_wikidata(home, write_dump(tmp_path / "dump.nt.gz", named), "en", second=second)
    return home


def _predictions(folder: Path, *rows: dict[str, object]) -> Path:
    file = folder / "genre.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def test_genre_links_what_it_has_predicted(titled: Home, tmp_path: Path) -> None:
    file = _predictions(
        tmp_path,
        {
            "input": "who sings [START_ENT] hello [END_ENT] now",
            "output": [{"answer": "Hello (Adele song)", "score": 0.0}, {"answer": "No such page"}],
        },
        {"input": "say hello", "output": [{"answer": "No such page"}, {"answer": "Hello (Adele song)"}]},
        {"input": "what does adele sing [START_ENT] Hello [END_ENT]", "output": [{"answer": "Hello (Adele song)"}]},
    )
    linker = GenreLinker(titled, "wikidata", file)
    assert linker.link(["who sings hello now", "say  hello", "not predicted"]) == [
        [Mention(10, 15, "hello", "Q1", "Hello", 1.0)],
        [Mention(0, 10, "say  hello", "Q1", "Hello", 0.5)],
        [],
    ]
    assert linker.link_answers(["what does adele sing", "say"], ["Hello", "hello"]) == [
        Mention(0, 5, "Hello", "Q1", "Hello", 1.0),
        None,
    ]


def test_the_command_links_by_predictions(factmill: Factmill, titled: Home, tmp_path: Path) -> None:
    file = _predictions(tmp_path, {"input": "say hello", "output": [{"answer": "Hello (Adele song)"}]})
    out = factmill("link", "say hello", "--genre", file, "--home", titled.root).out
    assert out.splitlines()[-1] == "Linked: 1 of 1 questions."


@pytest.mark.parametrize("line", ["", "{}", '{"input": 1, "output": []}', "\x00", '{"input": "a", "output": [{}]}'])
def test_what_is_no_prediction_is_an_error(titled: Home, tmp_path: Path, line: str) -> None:
    file = tmp_path / "genre.jsonl"
    file.write_text(f'{{"input": "a", "output": []}}\n{line}\n')
    with pytest.raises(SourceFormatError, match="line 2: no prediction"):
        GenreLinker(titled, "wikidata", file)
