"""Bytes of N-Triples: where terms end, whether they are valid, what they hold. Compiled by numba.

No loop over bytes looks for the end of the block: the last byte of its lines is a line end, which no term may contain,
so each loop stops there. Where possible eight bytes are looked at in one step: `words[i]` is the number made of the
eight bytes from `a[i]` on.
"""

import numpy as np
import numpy.typing as npt

from sources._compiled import compiled
from sources._truthy_rows import Bytes

Words = npt.NDArray[np.uint64]

# What a byte may be part of.
_IN_IRI, _IN_TEXT, _LETTER, DIGIT, _HEX = 1, 2, 4, 8, 16
CLASS = np.zeros(256, np.uint8)
for _character in map(chr, range(128)):
    CLASS[ord(_character)] = (
        _IN_IRI * (_character > " " and _character not in '<>"{}|^`\\')
        | _IN_TEXT * (_character not in '"\\\n\r')
        | _LETTER * _character.isalpha()
        | DIGIT * _character.isdigit()
        | _HEX * (_character in "0123456789abcdefABCDEF")
    )
SPACE, QUOTE, DOT, LESS, _GREATER, AT, _BACKSLASH, CARET, DASH, _COLON, _PLUS = (ord(c) for c in ' ".<>@\\^-:+')
LINE_END, RETURN, ZERO, _NINE, _SHORT, _LONG = (ord(c) for c in "\n\r09uU")
_ESCAPES = np.zeros(256, np.uint8)
for _letter, _meaning in zip("tbnrf\"'\\", "\t\b\n\r\f\"'\\", strict=True):
    _ESCAPES[ord(_letter)] = ord(_meaning)

_U = np.uint64
_EACH, _HIGHEST, _NONE = _U(0x0101010101010101), _U(0x8080808080808080), _U(0)


def pattern(text: str) -> Words:
    """Return a text as eight bytes a column: the bytes, and a mask of those that count."""
    padded = text.encode("ascii").ljust(-(-len(text) // 8) * 8, b"\0")
    mask = bytes(0xFF if byte else 0 for byte in padded)
    return np.array([np.frombuffer(padded, np.uint64), np.frombuffer(mask, np.uint64)])


def words_of(a: Bytes) -> Words:
    """Return the number that the eight bytes from each place on make; nothing is copied."""
    return np.ndarray((max(0, len(a) - 7),), np.uint64, a.data, strides=(1,))


@compiled
def has(words: Words, i: int, pattern: Words) -> bool:
    """Tell whether the pattern stands at i."""
    n = pattern.shape[1]
    if i + 8 * n - 8 >= len(words):
        return False
    for k in range(n):  # noqa: SIM110
        if (words[i + 8 * k] ^ pattern[0, k]) & pattern[1, k] != _NONE:
            return False
    return True


@compiled
def is_same(words: Words, i: int, j: int, length: int) -> bool:
    """Tell whether the same bytes stand at i and j; they are eight at least."""
    if max(i, j) + length - 8 >= len(words):
        return False
    for k in range(0, length - 8, 8):
        if words[i + k] != words[j + k]:
            return False
    return bool(words[i + length - 8] == words[j + length - 8])


@compiled
def read_number(a: Bytes, start: int, end: int, max_digits: int) -> int:
    """Read a number without leading zero, -1 if it is none."""
    if not 1 <= end - start <= max_digits or a[start] == ZERO:
        return -1
    number = 0
    for i in range(start, end):
        if not CLASS[a[i]] & DIGIT:
            return -1
        number = number * 10 + int(a[i]) - ZERO
    return number


@compiled
def utf8_width(a: Bytes, i: int) -> int:
    """Return how many bytes the character beyond ASCII at i takes, 0 if it is no valid UTF-8."""
    first, second = a[i], a[i + 1]
    width, low, high = 0, 0x80, 0xBF
    if 0xC2 <= first <= 0xDF:
        width = 2
    elif 0xE0 <= first <= 0xEF:
        width = 3
        low = 0xA0 if first == 0xE0 else low
        high = 0x9F if first == 0xED else high
    elif 0xF0 <= first <= 0xF4:
        width = 4
        low = 0x90 if first == 0xF0 else low
        high = 0x8F if first == 0xF4 else high
    if width == 0 or not low <= second <= high:
        return 0
    for k in range(2, width):
        if a[i + k] & 0xC0 != 0x80:
            return 0
    return width


@compiled
def may_end_text(word: np.uint64) -> bool:
    """Tell whether one of eight bytes needs a look in a text: beyond ASCII, a control character, a quote, a backslash.

    A byte below 0x80 from which more is taken than it holds gets its highest bit set. It may set that of the next byte
    too, but then the answer is yes anyway.
    """
    found = word | (word - _EACH * _U(0x20))
    found |= ((word ^ _EACH * _U(QUOTE)) - _EACH) | ((word ^ _EACH * _U(_BACKSLASH)) - _EACH)
    return bool(found & _HIGHEST != _NONE)


@compiled
def iri_end(a: Bytes, i: int) -> int:
    """Return where the IRI that begins at i, after its `<`, has its `>`; -1 if it is none or has escapes."""
    while True:
        while CLASS[a[i]] & _IN_IRI:
            i += 1
        if a[i] == _GREATER:
            return i
        width = utf8_width(a, i) if a[i] >= 0x80 else 0
        if width == 0:
            return -1
        i += width


@compiled
def has_scheme(a: Bytes, i: int) -> bool:
    """Tell whether the IRI at i is absolute."""
    if not CLASS[a[i]] & _LETTER:
        return False
    while CLASS[a[i]] & (_LETTER | DIGIT) or a[i] == _PLUS or a[i] == DASH or a[i] == DOT:
        i += 1
    return bool(a[i] == _COLON)


@compiled
def code_point(a: Bytes, i: int) -> int:
    r"""Return what the `\u` or `\_U` escape at i, after its backslash, stands for; -1 if that is no character."""
    code = 0
    for k in range(1, 5 if a[i] == _SHORT else 9):
        byte = int(a[i + k])
        if not CLASS[byte] & _HEX:
            return -1
        code = code * 16 + (byte - ZERO if byte <= _NINE else (byte | 32) - 87)
    return -1 if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else code


@compiled
def escape_width(a: Bytes, i: int) -> int:
    """Return how many bytes the escape takes that begins with the backslash at i, 0 if it is not valid."""
    letter = a[i + 1]
    if _ESCAPES[letter]:
        return 2
    if (letter != _SHORT and letter != _LONG) or code_point(a, i + 1) < 0:
        return 0
    return 6 if letter == _SHORT else 10


@compiled
def text_end(a: Bytes, words: Words, i: int) -> int:
    """Return where the text that begins at i, after its quote, has its closing quote; -1 if it is not valid."""
    while True:
        while i < len(words) and not may_end_text(words[i]):
            i += 8
        while CLASS[a[i]] & _IN_TEXT:
            i += 1
        if a[i] == QUOTE:
            return i
        width = 0
        if a[i] >= 0x80:
            width = utf8_width(a, i)
        elif a[i] == _BACKSLASH:
            width = escape_width(a, i)
        if width == 0:
            return -1
        i += width


@compiled
def lang_end(a: Bytes, i: int) -> int:
    """Return where the language tag that begins at i, after its `@`, ends; -1 if it is none."""
    start = i
    while CLASS[a[i]] & _LETTER:
        i += 1
    if i == start:
        return -1
    while a[i] == DASH:
        start = i = i + 1
        while CLASS[a[i]] & (_LETTER | DIGIT):
            i += 1
        if i == start:
            return -1
    return i


@compiled
def write_character(code: int, out: Bytes, n: int) -> int:
    """Append a character as UTF-8 and return where it ends."""
    if code < 0x80:
        out[n] = code
        return n + 1
    if code < 0x800:
        out[n] = 0xC0 | code >> 6
    elif code < 0x10000:
        out[n] = 0xE0 | code >> 12
    else:
        out[n] = 0xF0 | code >> 18
        n += 1
        out[n] = 0x80 | code >> 12 & 0x3F
    if code >= 0x800:
        n += 1
        out[n] = 0x80 | code >> 6 & 0x3F
    out[n + 1] = 0x80 | code & 0x3F
    return n + 2


@compiled
def copy(a: Bytes, i: int, end: int, out: Bytes, n: int) -> int:
    """Append the valid text from i to end, without its escapes, and return where it ends. It never grows."""
    while i < end:
        if a[i] != _BACKSLASH:
            out[n] = a[i]
            n += 1
            i += 1
        elif _ESCAPES[a[i + 1]]:
            out[n] = _ESCAPES[a[i + 1]]
            n += 1
            i += 2
        else:
            n = write_character(code_point(a, i + 1), out, n)
            i += 6 if a[i + 1] == _SHORT else 10
    return n


@compiled
def lower(byte: np.uint8) -> np.uint8:
    return byte | np.uint8(32) if CLASS[byte] & _LETTER else byte
