"""The entries of a JSON array one after the other, so that a file of a gigabyte takes the memory of one entry.

The array is the whole file, or stands in one object under "Data", after and before nothing but plain values: that is
TriviaQA's form.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

_PLAIN = r'\s*"\w+"\s*:\s*(?:"[^"]*"|[-+.\w]+)\s*'
_OPENING = re.compile(r"\s*(?:\[|(?P<object>\{(?:" + _PLAIN + r',)*\s*"Data"\s*:\s*\[))')
_CLOSING = {False: re.compile(r"\s*"), True: re.compile(r"(?:\s*," + _PLAIN + r")*\s*\}\s*")}
_BEHIND = re.compile(r"\s*([,\]])\s*")
_SPACE = re.compile(r"\s*")
_MOST_CHARACTERS = 64 << 20


def begins_array(text: str) -> bool:
    """Tell whether a file that begins like this is read here: an array of objects, or an object with "Data"."""
    opening = _OPENING.match(text)
    return bool(opening and re.match(r"\s*(\{|\]|$)", text[opening.end() :]))


class ArrayReader:
    """Reads the entries of an array from pieces of its text; `n_read` says how many were whole."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = filter(None, pieces)
        self._text = ""
        self._at = 0
        self._decoder = json.JSONDecoder()
        self.n_read = 0

    def entries(self) -> Iterator[Any]:
        """Yield each entry. What is no JSON, or ends too soon, is a ValueError."""
        opening = self._match(_OPENING)
        behind = ","
        if self._skip_space() == "]":
            behind = self._match(_BEHIND)[1]
        while behind == ",":
            yield self._entry()
            self.n_read += 1
            behind = self._match(_BEHIND)[1]
        rest = self._text[self._at :] + "".join(self._pieces)
        if not _CLOSING[bool(opening["object"])].fullmatch(rest):
            raise ValueError("more follows")

    def _entry(self) -> Any:
        while True:
            try:
                entry, self._at = self._decoder.raw_decode(self._text, self._at)
            except ValueError:
                if not self._more():
                    raise
            else:
                return entry

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Match what stands here; it may take another piece to know."""
        while not (found := pattern.match(self._text, self._at)) or found.end() == len(self._text):
            if not self._more():
                break
        if not found:
            raise ValueError("no JSON array")
        self._at = found.end()
        return found

    def _skip_space(self) -> str:
        """Return the next character that is no space, without taking it."""
        end = self._match(_SPACE).end()
        return self._text[end : end + 1]

    def _more(self) -> bool:
        """Put another piece behind what is left; tell whether there was one."""
        piece = next(self._pieces, "") if len(self._text) - self._at < _MOST_CHARACTERS else ""
        if piece:
            self._text = self._text[self._at :] + piece
            self._at = 0
        return bool(piece)
