"""Which entity a question is about, and which one its answer is."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from benchmarks.linked_questions import read_asked
from factmill.halves import is_for_tuning
from factmill.home import Home
from factmill.linker import Linker, Mention, open_linker
from factmill.settings import settings
from factmill.stage import stage_wikidata
from tests.dumps import fact, write_dump
from tests.linked_stage import linked_home


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("linked")
    return linked_home(Home.open(folder / "home", create=True), folder)


@pytest.fixture(scope="module")
def linker(staged: Home) -> Linker:
    return open_linker(staged, "wikidata", threshold=0.05)


def _best(linker: Linker, *questions: str) -> list[str | None]:
    return [mentions[0].entity if mentions else None for mentions in linker.link(questions)]


def test_a_mention_says_where_it_stands_and_what_it_means(linker: Linker) -> None:
    ((mention, *_),) = linker.link(["where was Adele's birthplace"])
    assert mention == Mention(10, 15, "Adele", "Q10", "Adele", mention.score)
    assert 0.05 <= mention.score <= 1


@pytest.mark.parametrize(
    "question",
    [
        "where was adele born",
        "WHERE WAS ADELE BORN?",
        "Where was Adele Adkins born?",
        "where was adele's birthplace",
        "where was ade\u0301le born",
        "🎤 where was “adele” born 🎤",
        "where\x00was\x1b[31m adele\tborn",
    ],
)
def test_case_accents_possessives_and_odd_characters_make_no_difference(linker: Linker, question: str) -> None:
    assert _best(linker, question) == ["Q10"]


def test_of_things_with_one_name_the_better_known_comes_first(linker: Linker) -> None:
    (mentions,) = linker.link(["who sings hello"])
    assert [one.entity for one in mentions] == ["Q1", "Q2"]
    assert mentions[0].score > mentions[1].score


def test_what_is_asked_tells_things_of_one_name_apart(linker: Linker) -> None:
    assert _best(linker, "who directed paris", "what country is paris in", "who directed the film paris") == [
        "Q21",
        "Q20",
        "Q21",
    ]


def test_a_longer_name_beats_a_name_inside_it(linker: Linker) -> None:
    assert _best(linker, "who directed schindlers list", "who directed schindler's list") == ["Q40", "Q40"]


def test_and_may_be_written_as_a_sign(linker: Linker) -> None:
    assert _best(linker, "who wrote rock and roll", "who wrote rock & roll") == ["Q42", "Q42"]


def test_stop_words_letters_and_numbers_are_not_linked_on_their_own(linker: Linker) -> None:
    questions = ["is it the", "who is it", "x", "who is x", "what happened in 1917", "who directed it", "?", "the who"]
    assert linker.link(questions) == [[]] * len(questions)


def test_they_are_linked_where_something_else_says_that_they_are_names(linker: Linker) -> None:
    questions = ["who directed the movie it", 'who directed "it"', "Who directed It?", "who directed the film 1917"]
    assert _best(linker, *questions) == ["Q30", "Q30", "Q30", "Q34"]


@pytest.mark.parametrize("question", ["", " ", "?!", "\u0301", "\ud800", "東京はどこですか", "the the the", "🙂🙂"])
def test_a_question_without_a_name_has_no_link(linker: Linker, question: str) -> None:
    assert linker.link([question]) == [[]]


def test_of_an_endless_question_the_beginning_counts(linker: Linker) -> None:
    assert _best(linker, "where was adele born " + "x" * 100_000, "blah " * 20_000 + "where was adele born") == [
        "Q10",
        None,
    ]


def test_the_threshold_cuts_off_what_is_unlikely(staged: Home, linker: Linker) -> None:
    questions = ["who sings hello", "where was adele born", "tell me about london in the rain"]
    scores = [[one.score for one in mentions] for mentions in linker.link(questions)]
    strict = open_linker(staged, "wikidata", threshold=0.5)
    assert [[one.score for one in mentions] for mentions in strict.link(questions)] == [
        [score for score in some if score >= 0.5] for some in scores
    ]
    assert open_linker(staged, "wikidata", threshold=1).link(questions) == [[], [], []]


def test_so_many_mentions_and_no_more(staged: Home) -> None:
    (mentions,) = open_linker(staged, "wikidata", threshold=0, most=2).link(["adele hello paris london"])
    assert len(mentions) == 2


_WORDS = ["who", "sings", "hello", "adele", "paris", "It", "'s", "“", "1917", "the", "é", "🙂", "\x00", "ß", "London,"]


@hypothesis_settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join) | st.text(max_size=60), max_size=8))
def test_a_link_does_not_depend_on_what_else_is_asked(linker: Linker, questions: list[str]) -> None:
    together = linker.link(questions)
    assert together == [linker.link([question])[0] for question in questions]
    for question, mentions in zip(questions, together, strict=True):
        assert all(question[one.start : one.end] == one.text != "" for one in mentions)
        assert sum(one.score for one in mentions) <= 1.00001


def test_threads_and_batches_make_no_difference(staged: Home, linker: Linker, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    questions = [" ".join(chance.choices(_WORDS, k=chance.randrange(1, 10))) for _ in range(1_000)]
    expected = linker.link(questions)
    monkeypatch.setenv("FACTMILL_THREADS", "5")
    settings.cache_clear()
    turned = linker.link(questions[::-1])
    assert turned[::-1] == expected
    assert open_linker(staged, "wikidata", threshold=0.05).link(questions) == expected


def test_an_answer_is_the_entity_that_a_fact_connects_to_the_subject(linker: Linker) -> None:
    questions = ["what is the capital of france", "which film did cédric klapisch direct", "who sings hello", "who"]
    linked = linker.link_answers(questions, ["Paris", "Paris", "adele", "zzz"])
    assert [(one.text, one.entity) if one else None for one in linked] == [
        ("Paris", "Q20"),
        ("Paris", "Q21"),
        ("adele", "Q10"),
        None,
    ]


def test_odd_answers_are_no_entities(linker: Linker) -> None:
    answers = ["", "?", "x" * 100_000, "\ud800", "🙂"]
    assert linker.link_answers(["who sings hello"] * len(answers), answers) == [None] * len(answers)
    with pytest.raises(ValueError, match="2 questions go with as many answers, not with 1"):
        linker.link_answers(["a", "b"], ["c"])


def test_nothing_asked_is_nothing_linked(linker: Linker) -> None:
    assert (linker.link([]), linker.link_answers([], [])) == ([], [])


def test_a_stage_without_names_links_nothing(home: Home, tmp_path: Path) -> None:
    stage_wikidata(home, write_dump(tmp_path / "bare.nt.gz", [fact("Q1", "P19", "Q2")]), "en")
    bare = open_linker(home, "wikidata")
    assert bare.link(["where was adele born"]) == [[]]
    assert bare.link_answers(["where was adele born"], ["London"]) == [None]


def test_about_half_of_the_questions_are_for_tuning() -> None:
    n = sum(is_for_tuning(f"question {number}") for number in range(1_000))
    assert 450 < n < 550
    assert is_for_tuning("\ud800") in (True, False)


@pytest.mark.parametrize(("name", "least_recall"), [("simplequestions_wd_train", 90), ("popqa_A", 97)])
def test_subjects_of_real_questions_are_found(real: Linker, shared: Path, name: str, least_recall: float) -> None:
    asked = [one for one in read_asked(shared, name) if not is_for_tuning(one.question)]
    linked = real.link([one.question for one in asked])
    best = [(one.subject, links[0].entity) for one, links in zip(asked, linked, strict=True) if links]
    right = sum(subject == entity for subject, entity in best)
    assert right / len(asked) >= least_recall / 100
    assert right / len(best) >= 0.93


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Linker:
    home = Home.open(tmp_path_factory.mktemp("real"), create=True)
    stage_wikidata(home, shared / "wikidata" / "subset.truthy.nt.gz", "en")
    return open_linker(home, "wikidata")
