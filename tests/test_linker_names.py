"""Finding names in texts: the hashes and the table against a plain dictionary."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from factmill.linking.asked_words import read_words
from factmill.linking.found import find_names
from factmill.linking.hashes import hashes
from factmill.linking.names import IS_ALIAS, IS_COMMON, IS_SHORTENED, Names, table_of
from factmill.linking.words import folded, offsets, words_of

_LETTERS = st.text("abs' Éø&-", max_size=12)


def _table(*names: tuple[int, str, bool]) -> Names:
    numbers, texts, are_labels = zip(*names, strict=True) if names else ((), (), ())
    batch = pa.record_batch(
        [pa.array(numbers, pa.int32()), pa.array(texts, pa.string()), pa.array(are_labels, pa.bool_())],
        ["number", "name", "is_label"],
    )
    return table_of([batch], np.array([5, 9, 1], np.int64))


def test_entities_of_a_name_come_best_known_first() -> None:
    names = _table((0, "Dune", True), (1, "dune", False), (2, "The Dune", True))
    (place,) = names.find(hashes("dune", np.array([0]), np.array([4])))
    rows = slice(names.bounds[place], names.bounds[place + 1])
    assert names.entities[rows].tolist() == [1, 0, 2]
    assert names.flags[rows].tolist() == [IS_ALIAS | IS_COMMON, 0, IS_SHORTENED]


def test_a_name_that_is_there_in_two_forms_counts_as_its_plainest() -> None:
    names = _table((0, "The Wall", True), (0, "Wall", False), (0, "Wall", True))
    (place,) = names.find(hashes("wall", np.array([0]), np.array([4])))
    assert names.flags[names.bounds[place] : names.bounds[place + 1]].tolist() == [0]


def test_an_empty_table_finds_nothing() -> None:
    assert find_names(read_words(["who sings hello"]), _table()).first.tolist() == []


@given(st.lists(_LETTERS, max_size=6), st.lists(st.lists(_LETTERS, max_size=5).map(" ".join), max_size=4))
def test_the_same_names_are_found_as_by_a_dictionary(names: list[str], questions: list[str]) -> None:
    known = {" ".join(words_of(name)) for name in names} - {""}
    table = _table(*((number % 3, name, True) for number, name in enumerate(names)))
    words = read_words(questions)
    found = find_names(words, table)
    got = {
        (int(question), int(first - words.bounds[question]), int(last - words.bounds[question]), bool(is_cut))
        for question, first, last, is_cut in zip(found.question, found.first, found.last, found.is_cut, strict=True)
    }
    shortened = {name.removeprefix(f"{article} ") for name in known for article in ("a", "an", "the")}
    expected = set()
    for number, question in enumerate(questions):
        asked = words_of(question)
        for first in range(len(asked)):
            for last in range(first, min(len(asked), first + 12)):
                piece = " ".join(asked[first : last + 1])
                if piece in known:
                    expected.add((number, first, last, False))
                if len(asked[last]) >= 3 and piece.endswith("s") and piece[:-1] in known:
                    expected.add((number, first, last, True))
    assert expected <= got
    pieces = {
        " ".join(words_of(questions[q])[first : last + 1])[: -1 if is_cut else None] for q, first, last, is_cut in got
    }
    assert pieces <= known | shortened


@given(st.text(max_size=50))
def test_every_folded_character_leads_back_to_the_text(text: str) -> None:
    places = list(offsets(text))
    assert len(places) == len(folded(text))
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)


@given(st.lists(st.text(max_size=20), max_size=20))
def test_a_hash_depends_on_the_piece_and_not_on_its_place(pieces: list[str]) -> None:
    pieces = [piece.encode("utf-8", "replace").decode() for piece in pieces]
    lengths = np.array([len(piece) for piece in pieces], np.int64)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    together = hashes("".join(pieces), starts, ends).tolist()
    alone = [hashes(piece, np.array([0]), np.array([len(piece)]))[0] for piece in pieces]
    assert together == alone
    assert len(set(together)) == len(set(pieces))
