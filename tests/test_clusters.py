"""Mistake clusters: what is masked, which questions are alike, and what people see of them."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from factmill.clusters import Cluster, find_clusters
from factmill.communities import Community, communities
from factmill.encoders import Vectors, on_grid, open_encoder
from factmill.errors import ConfigError
from factmill.gap_tables import cluster_table
from factmill.linker import Mention
from factmill.masking import Masked, mask
from factmill.named_entities import named_entities
from factmill.names import ShardName
from factmill.near_pairs import near_pairs
from factmill.settings import settings

_GRID = 512


def _mention(question: str, text: str, score: float = 0.5, entity: str = "Q1") -> Mention:
    start = question.rindex(text)
    return Mention(start, start + len(text), text, entity, text, score)


def _masked(question: str, *texts: str) -> Masked:
    return mask(question, [_mention(question, text) for text in texts])


def test_entities_and_numbers_are_masked_and_the_rest_is_in_paqs_form() -> None:
    assert _masked("Who  played Rose in Titanic?", "Rose", "Titanic") == Masked("who played ___ in ___", 2, 0)
    assert _masked("When does season 7 of Lost start", "Lost") == Masked("when does season # of ___ start", 1, 1)
    assert _masked("the 31st of 1,000 in the 1990s, 4.5 times") == Masked("the # of # in the #, # times", 0, 4)
    assert _masked("who sang b2b and u2") == Masked("who sang b2b and u2", 0, 0)


def test_an_entity_that_is_a_number_is_an_entity() -> None:
    assert _masked("who directed 1917", "1917") == Masked("who directed ___", 1, 0)


def test_plurals_and_possessives_leave_no_letters() -> None:
    assert _masked("when did the penguins win", "penguin") == Masked("when did the ___ win", 1, 0)
    assert _masked("who is adele 's father", "adele") == Masked("who is ___'s father", 1, 0)
    assert _masked("who is adele’s father", "adele") == Masked("who is ___’s father", 1, 0)


def test_of_overlapping_spans_the_likeliest_and_then_the_longest_is_masked() -> None:
    question = "who wrote the legend of zelda"
    short, long = _mention(question, "legend", 0.4), _mention(question, "legend of zelda", 0.3)
    assert mask(question, [long, short]).text == "who wrote the ___ of zelda"
    # Two things of one name share its score.
    assert mask(question, [short, long, _mention(question, "legend of zelda", 0.3, "Q2")]).text == "who wrote the ___"
    assert mask(question, [_mention(question, "legend", 0.3), long]).text == "who wrote the ___"


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.floats(0, 1))), st.randoms())
def test_masking_depends_on_no_order_and_breaks_on_nothing(
    text: str, spans: list[tuple[int, int, float]], chance: random.Random
) -> None:
    mentions = [Mention(a, b, text[a:b], "Q1", "", s) for a, b, s in spans if a <= b <= len(text)]
    masked = mask(text, mentions)
    chance.shuffle(mentions)
    assert mask(text, mentions) == masked


def test_a_wording_for_a_template_asks_about_one_entity_and_nothing_else() -> None:
    assert _masked("who is adele's father", "adele").wording == "who is {{ subject }}'s father"
    for question, texts in [
        ("who is it", ()),
        ("who played rose in titanic", ("rose", "titanic")),
        ("how many episodes in season 7 of lost", ("lost",)),
        ("lost", ("lost",)),
        ("who wrote lost {{ 7 * 7 }}", ("lost",)),
        ("who wrote ___ and lost", ("lost",)),
    ]:
        assert _masked(question, *texts).wording is None


def _obvious_pairs(vectors: Vectors) -> list[tuple[int, int]]:
    whole = vectors.astype(np.int64)
    return [
        (first, second)
        for first in range(len(whole))
        for second in range(first + 1, len(whole))
        if int(whole[first] @ whole[second]) > 0.9 * _GRID * _GRID
    ]


def _heaps(n: int, n_heaps: int, seed: int = 1) -> Vectors:
    """Return vectors in heaps: those of one are about as near as 0.9."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(n_heaps, 384))
    noise = chance.normal(size=(n, 384)) * chance.choice([0.2, 0.3, 0.35, 0.5], (n, 1))
    return on_grid(centres[chance.integers(n_heaps, size=n)] + noise, _GRID)


def _listed(pairs: tuple[np.ndarray, np.ndarray]) -> list[tuple[int, int]]:
    return list(zip(pairs[0].tolist(), pairs[1].tolist(), strict=True))


@pytest.mark.parametrize("n", [0, 1, 2, 600, 2_300])
def test_all_near_pairs_are_found(n: int) -> None:
    vectors = _heaps(n, 100)
    assert _listed(near_pairs(vectors, _GRID)) == _obvious_pairs(vectors)


def test_near_pairs_of_many_are_found_by_their_signs() -> None:
    vectors = _heaps(2_300, 100)
    found = _listed(near_pairs(vectors, _GRID, exact_up_to=0))
    expected = _obvious_pairs(vectors)
    assert found == sorted(set(found))
    assert set(found) <= set(expected)
    assert len(expected) > 5_000
    assert len(found) > 0.999 * len(expected)


def test_vectors_of_zeros_are_near_nothing() -> None:
    vectors = np.concatenate([np.zeros((3, 384), np.int8), _heaps(5, 1)])
    assert _listed(near_pairs(vectors, _GRID, exact_up_to=0)) == _obvious_pairs(vectors)


def test_threads_and_blocks_make_no_difference_to_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = _heaps(3_000, 60, seed=2)
    for exact_up_to in (0, 10_000):
        expected = _listed(near_pairs(vectors, _GRID, exact_up_to=exact_up_to))
        for threads, rows in (("1", 1_000), ("5", 77)):
            monkeypatch.setenv("FACTMILL_THREADS", threads)
            monkeypatch.setattr("factmill.near_pairs._ROWS_AT_ONCE", rows)
            settings.cache_clear()
            assert _listed(near_pairs(vectors, _GRID, exact_up_to=exact_up_to)) == expected


def _obvious_communities(weights: Sequence[int], pairs: Sequence[tuple[int, int]], least: int) -> list[Community]:
    free = set(range(len(weights)))
    found: list[Community] = []
    while True:
        groups = [
            Community(one, sorted(other for other in free if other == one or {(one, other), (other, one)} & set(pairs)))
            for one in sorted(free)
        ]
        best = min(groups, key=lambda group: (-sum(weights[m] for m in group.members), group.centre), default=None)
        if best is None or sum(weights[member] for member in best.members) < least:
            return found
        found.append(best)
        free -= set(best.members)


@hypothesis_settings(deadline=None)
@given(
    st.lists(st.integers(1, 3), max_size=9),
    st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda pair: pair[0] < pair[1])),
    st.integers(1, 5),
)
def test_the_largest_group_is_taken_first_and_then_the_largest_of_what_is_left(
    weights: list[int], some: set[tuple[int, int]], least: int
) -> None:
    pairs = sorted(pair for pair in some if pair[1] < len(weights))
    first, second = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    assert list(communities(weights, first, second, least)) == _obvious_communities(weights, pairs, least)


_P175, _P50 = ShardName.parse("wikidata/P175"), ShardName.parse("wikidata/P50")
_ASKED = [
    ("who sings hello", "hello"),
    ("who wrote dune", "dune"),
    ("Who sings Skyfall?", "Skyfall"),
    ("who sings hello", "hello"),
    ("how many moons does jupiter have", "jupiter"),
    ("who sings  bad", "bad"),
    ("who sings the thriller", "thriller"),
    ("who wrote emma", "emma"),
]


def _clusters(asked: Sequence[tuple[str, str]], least: int = 2, **shards: ShardName) -> list[Cluster]:
    predicates = {int(number[1:]): shard for number, shard in shards.items()}
    mentions = [[_mention(question, text)] for question, text in asked]
    questions = [question for question, _ in asked]
    return find_clusters(questions, mentions, open_encoder("static"), predicates=predicates, least_size=least)


def test_a_cluster_says_which_questions_are_asked_alike_and_what_would_answer_them() -> None:
    songs, books = _clusters(_ASKED, q0=_P175, q2=_P175, q5=_P50, q7=_P50)
    assert songs == Cluster(
        "who sings ___",
        (0, 2, 3, 5, 6),
        ("who sings hello", "Who sings Skyfall?", "who sings hello", "who sings  bad", "who sings the thriller"),
        ("who sings hello", "Who sings Skyfall?", "who sings  bad"),
        _P175,
        2 / 5,
        "who sings {{ subject }}",
        True,
    )
    assert (books.name, books.numbers, books.predicate, books.wording, books.is_in_template) == (
        "who wrote ___",
        (1, 7),
        _P50,
        "who wrote {{ subject }}",
        True,
    )


def test_small_clusters_are_left_out() -> None:
    assert [one.size for one in _clusters(_ASKED, least=5)] == [5]
    assert _clusters(_ASKED, least=6) == []
    assert _clusters([], least=1) == []


def test_a_wording_that_the_template_lacks_is_told_from_one_that_stands_there() -> None:
    asked = [("Who  sings hello?", "hello"), ("who sings bad", "bad")]
    assert [one.is_in_template for one in _clusters(asked, q0=_P175)] == [True]
    assert [one.is_in_template for one in _clusters(asked, q0=_P50)] == [False]
    assert [one.is_in_template for one in _clusters(asked)] == [None]
    nobody = ShardName.parse("wikidata/P999999")
    assert [one.is_in_template for one in _clusters(asked, q0=nobody)] == [False]


def test_of_equally_many_predicates_the_first_is_named() -> None:
    (songs,) = _clusters(_ASKED[2:4], q0=_P50, q1=_P175)
    assert (songs.predicate, songs.predicate_share) == (_P175, 0.5)


def test_the_table_shows_name_size_examples_predicate_and_wording() -> None:
    songs, books = _clusters(_ASKED, q0=_P175, q2=_P175, q7=_P175)
    table = cluster_table([songs, books])
    assert table.columns == ("asked as", "mistakes", "examples", "predicate", "% of them", "wording")
    songs_asked, books_asked = (
        "who sings hello | Who sings Skyfall? | who sings  bad",
        "who wrote dune | who wrote emma",
    )
    assert table.rows == (
        ("who sings ___", 5, songs_asked, "wikidata/P175", 40, "who sings {{ subject }} (is there)"),
        ("who wrote ___", 2, books_asked, "wikidata/P175", 50, "who wrote {{ subject }}"),
    )


def test_the_order_of_questions_makes_no_difference() -> None:
    chance = random.Random(1)
    asked = [(f"{how} {name}", name) for how in ("who sings", "who wrote", "where is") for name in "abcdefg"]
    expected = [(one.name, sorted(one.questions)) for one in _clusters(asked)]
    assert [(name, len(questions)) for name, questions in expected] == [
        ("where is ___", 7),
        ("who sings ___", 7),
        ("who wrote ___", 7),
    ]
    for _ in range(3):
        chance.shuffle(asked)
        assert [(one.name, sorted(one.questions)) for one in _clusters(asked)] == expected


def test_questions_and_mentions_go_together() -> None:
    with pytest.raises(ValueError, match="shorter"):
        find_clusters(["a", "b"], [[]], open_encoder("static"))


def test_a_model_of_spacy_sees_names_that_no_source_knows(tmp_path: Path) -> None:
    import spacy

    model = spacy.blank("en")
    # The rules of a pipeline stand in for a trained model, which would have to be downloaded.
    model.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"}).add_patterns(  # type: ignore[attr-defined]
        [{"label": "WORK", "pattern": "attack on titan"}]
    )
    model.to_disk(tmp_path / "model")
    question = "when does Attack on Titan come out"
    (found,) = named_entities([question], str(tmp_path / "model"))
    assert found == [Mention(10, 25, "Attack on Titan", "", "WORK", 1.0)]
    assert mask(question, found).text == "when does ___ come out"
    with pytest.raises(ConfigError, match=r"^there is no spaCy model 'none'\. Run `python -m spacy download none`\."):
        named_entities([question], "none")


def test_without_spacy_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(ConfigError, match=r"^spaCy is not installed\. Run `pip install spacy` and `python -m spacy"):
        named_entities(["who sings hello"])
