"""The full name with which the first sentence about somebody begins: the longest one that is written anywhere."""

import re

from factmill.linking.words import words_of

_OPENING = re.compile(r"(?P<name>[^,;:()\[\]]{2,100}?)(?:,| ?[(\[]| (?:is|was|are|were) )")
_VERB = re.compile(r" (?:is|was|are|were) ")


def full_name(description: str, label: str) -> str | None:
    """Return the name that a first sentence begins with, None if the description is none or begins otherwise.

    It has to share a word with the label: some sentences begin with something else.

    >>> full_name("Charles John Huffam Dickens (7 February 1812 – 9 June 1870) was a writer.", "Charles Dickens")
    'Charles John Huffam Dickens'
    >>> full_name("English writer (1812–1870)", "Charles Dickens") is None
    True
    """
    match = _OPENING.match(description)
    if match is None or not _VERB.search(description):
        return None
    name = match["name"].strip()
    return name if set(words_of(name)) & set(words_of(label)) else None
