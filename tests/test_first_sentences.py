"""Where the first sentence of an abstract ends."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources._first_sentence import first_sentence

# The bar stands where the first sentence ends.
OPENINGS = [
    "Robert J. Smith Jr. (born May 3, 1990) is an American actor.| He was born in Ohio.",
    "St. Louis is a city in the U.S. state of Missouri.| It lies on a river.",
    "Mount Pleasant is a town in the U.S.| The town was founded in 1850.",
    "Fort Hill is a base of the U.S. Army near Mt. Airy.| Its gate is closed.",
    "Mambo No. 9 is a song by the Sample Bros. Band.| A video was made for it.",
    "Smith vs. Jones, also cited as Smith v. Jones, is a case about tea.| It was decided in 1973.",
    "Pi is a number of about 3.14159.| It is irrational.",
    "Yes! is an album by the band Panic! at Noon.| It was released in 2009.",
    "Oh! What a Day is a 1969 film.| It is a comedy.",
    "Who Goes There? is a novel (cf. the film, e.g. its end. Or not) of 1938.| Its author is known.",
    "Ada Sample (born 10 Dec. 1815) was a mathematician (see Prof. Smith [b. 1790]).| She wrote programs.",
    '"Hello." is a song by a singer.| It was number one.',
    '"Stop. Look. Listen" is a song from "Mr. Blue."| It is short.',
    "“Look. Now” is a poem.| “Then” is another.",
    "Wait... is an album.| It sold well.",
    "The J. Paul Sample Museum, known as the Sample, is a museum in L.A.| It has paintings.",
    "Pear Inc. is a maker of computers.| It was founded by two people.",
    "Monsters, Inc. Two is a film.| It is long.",
    "Washington, D.C., is a capital.| In 1800 it was small.",
    "A. B. C. Smith and D. Jones wrote a book on King Charles I.| It was banned.",
    "Vitamin C is a vitamin, like vitamin D.| They are found in food.",
    "The Battle of Ft. Sample took place on Sept. 11, 1814.| Nobody won.",
    "Sonata No. 14 in C minor, Op. 27, No. 2, is a sonata.| It is known as Moonlight.",
    "Sample is a village in Poland.| 300 people live there.",
    "Dr. Sample, Ph.D., is a doctor at noon, i.e. at 12 p.m.| He sleeps then.",
    "Yahoo Sample Co. Ltd. is a company.| Élan is another.",
    "A sample is a small part.\n| A whole is not.",
    "The film is by A. Smith et al.| This is known.",
    "Lt. Gen. Jane Doe (ret.) was the commander of Sample Force.| Her horse was grey.",
    "Sample is a species of beetle in the family Sampleidae.|",
    "Sample is a place in the U.S.|",
]


@pytest.mark.parametrize("opening", OPENINGS)
def test_the_first_sentence_ends_where_a_reader_sees_it(opening: str) -> None:
    sentence, _, rest = opening.partition("|")
    assert first_sentence(sentence + rest) == sentence.strip()


@pytest.mark.parametrize(
    ("opening", "sentence"),
    [
        ("Ada ( ; 3 May 1996) is a singer. She", "Ada (3 May 1996) is a singer."),
        ("Ada (; , born 1996) is a singer. She", "Ada (born 1996) is a singer."),
        ("Ada (, ; ) is a singer. She", "Ada is a singer."),
        ("Ada () , or Ada [ ], is a singer. She", "Ada, or Ada, is a singer."),
        ("Ada (Greek: ; Latin: ) is a singer. She", "Ada (Greek: ; Latin) is a singer."),
        ("  Ada\xa0is\n\na  singer. She", "Ada is a singer."),
    ],
)
def test_what_is_left_of_unread_brackets_goes(opening: str, sentence: str) -> None:
    assert first_sentence(opening) == sentence


@pytest.mark.parametrize(
    "opening",
    [
        "",
        "Sample is a town in",
        "Sample is a town by Robert J.",
        "Sample is a town near St.",
        "Sample is a town...",
        "Sample (Greek: Σ. Latin: S. It is a town",
        "Sample (town is a town. It is small.",
        "Is it a town?",
        ". . .",
    ],
)
def test_an_abstract_without_a_clear_end_has_no_first_sentence(opening: str) -> None:
    assert first_sentence(opening) is None


def test_a_sentence_that_does_not_end_within_2000_characters_is_none() -> None:
    assert first_sentence("word " * 398 + "end. It goes on.") == "word " * 398 + "end."
    assert first_sentence("word " * 400 + "end. It goes on.") is None


def test_a_stop_just_where_we_stop_reading_is_no_end() -> None:
    text = "Sample is a town in the U.S.".rjust(2000)
    assert first_sentence(text) == "Sample is a town in the U.S."
    assert first_sentence(text + " Army") is None


@given(st.text(alphabet="aB.?! \n()[]\"“”'_1é…", max_size=200) | st.text())
def test_a_first_sentence_is_one_line_that_ends_with_a_stop(text: str) -> None:
    sentence = first_sentence(text)
    if sentence is not None:
        assert sentence == " ".join(sentence.split())
        assert sentence.rstrip("\"'”’»").endswith(".")


@pytest.mark.parametrize("piece", ["(", "[(", "()", ". A", '"', "(.", "A. ", " ", ";,( "])
def test_hostile_abstracts_take_no_time(piece: str) -> None:
    started = time.perf_counter()
    first_sentence(piece * 5_000_000)
    assert time.perf_counter() - started < 1
