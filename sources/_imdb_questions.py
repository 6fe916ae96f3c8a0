"""Which titles do questions name? By the pattern of the thesis behind this project, for "who plays" questions.

What the pattern finds is looked up among the titles (sql/imdb_asked_titles.sql), so a wrong guess costs nothing. It is
looked up with and without what people add to a title: a year, a season, the word movie.

>>> sorted(named_titles(["who plays the mayor in the show longmire season 6", "who wrote hamlet"]))
['longmire', 'longmire season 6']
"""

import re
from collections.abc import Iterable, Iterator

TITLE_PATTERN = re.compile(
    r"who (?:play|starred)(?:.*?) (?:in|on)(?: the)?(?: (?:movies?|show|film|series|original))? (.+)"
)
_WORDS_BEHIND = re.compile(
    r" (?:(?:the )?(?:tv |television )?(?:movies?|films?|shows?|series)"
    r"|(?:season|series|part|episode|chapter|volume) (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
    r"|\(?(?:18|19|20)\d\d\)?|now|again|original)$"
)
_WORDS_BEFORE = re.compile(
    r"^(?:(?:18|19|20)\d\d|original|new|movies?|films?|tv|television|shows?|series|version of|the) "
)


def matched_title(question: str) -> str | None:
    """Return what stands where the pattern expects a title; None if the pattern does not match."""
    match = TITLE_PATTERN.search(question.lower().strip().removesuffix("?").strip())
    return match[1] if match else None


def named_titles(questions: Iterable[str]) -> set[str]:
    """Return all texts in these questions that may be titles."""
    found = {title for question in questions if (title := matched_title(question))}
    return {reading for title in found for reading in _readings(title)}


def _readings(title: str) -> Iterator[str]:
    """Yield a text, and what is left of it without the words that people put before and behind a title."""
    yield title
    for words in (_WORDS_BEHIND, _WORDS_BEFORE):
        shorter = words.sub("", title)
        if shorter != title:
            yield from _readings(shorter)
