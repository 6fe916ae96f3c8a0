"""What may stand around the name of a person or an organisation without naming another: "American singer Sam Hunt".

A beginning may go if its last word says what kind of person or group follows, and each word before that is written
small or a nationality. So "wife of Barack Obama", "Little Richard" and "Young Tom Holland" keep theirs.

>>> list(without_descriptors("American girl group Fifth Harmony"))
['Fifth Harmony']
>>> list(without_descriptors("wife of singer Sam Hunt")), list(without_descriptors("New York band Kiss"))
([], [])
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_MOST_WORDS = 8
_KIND_WORDS = """
    sir dame
    singer songwriter singer-songwriter rapper musician composer pianist guitarist drummer bassist violinist saxophonist
    vocalist soprano tenor conductor dj lyricist producer artist performer entertainer dancer choreographer
    actor actress comedian filmmaker director screenwriter playwright dramatist presenter host broadcaster model
    author writer novelist poet journalist historian philosopher essayist critic editor illustrator cartoonist painter
    sculptor architect photographer designer
    scientist physicist chemist biologist mathematician astronomer engineer inventor economist psychologist physician
    doctor surgeon professor explorer astronaut cosmonaut activist lawyer attorney judge politician statesman diplomat
    president senator governor congressman minister mayor king queen emperor empress prince princess duke pope saint
    bishop general admiral businessman businesswoman entrepreneur magician wrestler boxer footballer cricketer golfer
    cyclist swimmer sprinter gymnast skater player quarterback pitcher goalkeeper striker coach manager driver athlete
    band group duo trio quartet quintet orchestra ensemble choir boyband supergroup team club franchise
    company corporation firm manufacturer retailer brand label studio network publisher bank airline
    university college organization organisation agency party
"""
_NATIONALITY_WORDS = """
    african-american american argentine argentinian armenian australian austrian bangladeshi barbadian belarusian
    belgian bolivian bosnian brazilian british bulgarian canadian chilean chinese colombian croatian cuban czech danish
    dominican dutch ecuadorian egyptian english estonian ethiopian filipino finnish french georgian german ghanaian
    greek haitian hungarian icelandic indian indonesian iranian iraqi irish israeli italian jamaican japanese jewish
    kenyan korean latvian lebanese lithuanian macedonian malaysian mexican moroccan nepalese nigerian norwegian
    pakistani palestinian peruvian polish portuguese romanian russian scottish senegalese serbian slovak slovenian
    somali soviet spanish swedish swiss syrian taiwanese thai trinidadian tunisian turkish ugandan ukrainian uruguayan
    venezuelan vietnamese welsh zimbabwean u.s.
"""
_OTHER_WORDS = """
    of by for with and or not no nor but from to in on at as than like without against versus vs v after before about
    anti pro ex non fake
"""
_KINDS = frozenset(_KIND_WORDS.split())
_LARGE = frozenset((*_NATIONALITY_WORDS.split(), "sir", "dame", "the", "a", "an"))
"""What may be written large."""
_TELL_OTHERS = frozenset(_OTHER_WORDS.split())
"""Words behind which another may be meant than the one who is named."""
_WORD = re.compile(r"[^\W\d_][\w.&'’-]*")
_BRACKET = re.compile(r"(?P<name>.*\S) ?\((?P<inside>[^()]*)\)", re.DOTALL)


class Bracketed(NamedTuple):
    """A name and what stands in brackets behind it."""

    name: str
    inside: str


def bracketed(text: str) -> Bracketed | None:
    """Split off a bracket at the end of a text.

    >>> bracketed("Keith Hampshire (1973)"), bracketed("Hello")
    (Bracketed(name='Keith Hampshire', inside='1973'), None)
    """
    match = _BRACKET.fullmatch(text.strip()) if text.endswith(")") else None
    return match and Bracketed(match["name"], match["inside"].strip())


def is_kind(word: str) -> bool:
    """Tell whether a word says what kind of person or group somebody is."""
    return word in _KINDS


def without_descriptors(text: str) -> Iterator[str]:
    """Yield what stands behind each beginning that may go, the longest first."""
    words = text.split()
    for place, word in enumerate(words[:_MOST_WORDS]):
        plain = word.rstrip(",").lower()
        if not _may_describe(word.rstrip(","), plain):
            return
        if plain in _KINDS and words[place + 1 :]:
            yield " ".join(words[place + 1 :])


def _may_describe(word: str, plain: str) -> bool:
    if plain in _LARGE:
        return True
    return word == plain and plain not in _TELL_OTHERS and _WORD.fullmatch(word) is not None
