"""The hot loop of staging Wikidata: a block of N-Triples lines becomes columns.

Compiled by numba, because a dump has eight billion lines. It understands lines as Wikidata writes them: one space
between the terms, ` .` and a line end after them. Of such a line it checks the whole grammar. Any other line (tabs,
comments, blank nodes, escapes in addresses, nonsense) it leaves alone as `odd`, and sources/wikidata.py has a library
write it in the usual form or refuse it. tests/truthy_oracle.py is the slow and obvious version.

It is fast because it looks at eight bytes in one step where it can (sources/_ntriples_bytes.py), and does not read
a subject again that is the same as in the line before.
"""

import numpy as np

from factmill.facts import Role
from factmill.parts import NOT_ASKED
from sources._compiled import compiled, entry_point
from sources._ntriples_bytes import (
    AT,
    CARET,
    CLASS,
    DASH,
    DIGIT,
    DOT,
    LESS,
    LINE_END,
    QUOTE,
    RETURN,
    SPACE,
    ZERO,
    Words,
    copy,
    has,
    has_scheme,
    iri_end,
    is_same,
    lang_end,
    lower,
    pattern,
    read_number,
    text_end,
)
from sources._truthy_rows import ROLES, About, Bytes, Facts, Numbers

IGNORED = [
    "subject is not an item",
    "another predicate",
    "another language",
    "object is not an item",
    "object is a formula",
    NOT_ASKED,
]
REFUSED = ["unknown value", "unknown datatype"]
MAX_LINE_BYTES = 1 << 20

# The kinds in the order of KINDS, and two that are not kept.
_ENTITY, _DATE, _QUANTITY, _TEXT, _COORDINATE, _URL, _FORMULA, _UNKNOWN = range(8)
_TYPE_ROLE = ROLES.index(Role.TYPE)
_INSTANCE_OF = 31

# What a line can be: ignored for one of the reasons above, refused for one of the reasons above, a fact, odd, a text.
_NOT_AN_ITEM, _OTHER_PREDICATE, _OTHER_LANGUAGE, _OTHER_OBJECT, _IS_FORMULA, _NOT_ASKED = range(6)
_REFUSED = _UNKNOWN_VALUE = 16
_UNKNOWN_DATATYPE = 17
_FACT, _ODD, _ABOUT = 32, 33, 64

# Where the terms of a line are in the block, and what they are.
_SUBJECT, _SUBJECT_END, _PREDICATE, _PREDICATE_END, _VALUE, _VALUE_END, _TAG, _TAG_END = range(8)
_KIND, _ITEM, _PROPERTY, _VALUE_ITEM, N_TERMS = range(8, 13)

# What the kernel counts. The numbers of rows are also where it goes on writing in the next block.
N_LINES, N_FACTS, N_ABOUT, N_TYPES, N_ODD, N_REFUSED, LAST_DAY, N_COUNTS = range(8)

_ENTITY_IRI, _ENTITY_LENGTH = pattern("http://www.wikidata.org/entity/"), 31
_ITEM_IRI, _ITEM_LENGTH = pattern("http://www.wikidata.org/entity/Q"), 32
_DIRECT_IRI, _DIRECT_LENGTH = pattern("http://www.wikidata.org/prop/direct/P"), 37
_UNKNOWN_IRI = pattern("http://www.wikidata.org/.well-known/genid/")
# With the closing bracket a pattern is a whole IRI.
_LABEL_IRI = pattern("http://www.w3.org/2000/01/rdf-schema#label>")
_ALIAS_IRI = pattern("http://www.w3.org/2004/02/skos/core#altLabel>")
_DESCRIPTION_IRI = pattern("http://schema.org/description>")
_MODIFIED_IRI = pattern("http://schema.org/dateModified>")
_XSD_IRI, _XSD_LENGTH = pattern("http://www.w3.org/2001/XMLSchema#"), 33
_DATE_TIME, _DATE_ONLY, _STRING = pattern("dateTime>"), pattern("date>"), pattern("string>")
_DECIMAL, _INTEGER, _DOUBLE = pattern("decimal>"), pattern("integer>"), pattern("double>")
_POINT_IRI = pattern("http://www.opengis.net/ont/geosparql#wktLiteral>")
_FORMULA_IRI = pattern("http://www.w3.org/1998/Math/MathML>")
_LANG_STRING_IRI = pattern("http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>")
_DIRECTED_STRING_IRI = pattern("http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>")
_MONTH_DAYS = np.array([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


@compiled
def _literal_kind(words: Words, i: int) -> int:
    """Return the kind of a literal by the datatype that begins at i; -1 for those that need a language."""
    if has(words, i, _XSD_IRI):
        name = i + _XSD_LENGTH
        if has(words, name, _DATE_TIME) or has(words, name, _DATE_ONLY):
            return _DATE
        if has(words, name, _DECIMAL) or has(words, name, _INTEGER) or has(words, name, _DOUBLE):
            return _QUANTITY
        return _TEXT if has(words, name, _STRING) else _UNKNOWN
    if has(words, i, _POINT_IRI):
        return _COORDINATE
    if has(words, i, _FORMULA_IRI):
        return _FORMULA
    if has(words, i, _LANG_STRING_IRI) or has(words, i, _DIRECTED_STRING_IRI):
        return -1
    return _UNKNOWN


@compiled
def _parse_value(a: Bytes, words: Words, i: int, terms: Numbers) -> int:
    """Read the object that begins at i; return where it ends, -1 if it is not valid."""
    terms[_VALUE] = i + 1
    terms[_TAG] = terms[_TAG_END] = 0
    if a[i] == LESS:
        terms[_KIND] = _URL
        terms[_VALUE_END] = end = iri_end(a, i + 1)
        return end + 1 if end >= 0 else -1
    if a[i] != QUOTE:
        return -1
    terms[_KIND] = _TEXT
    terms[_VALUE_END] = end = text_end(a, words, i + 1)
    if end < 0:
        return -1
    if a[end + 1] == AT:
        terms[_TAG] = end + 2
        terms[_TAG_END] = lang_end(a, end + 2)
        return terms[_TAG_END]
    if a[end + 1] != CARET:
        return end + 1
    if a[end + 2] != CARET or a[end + 3] != LESS:
        return -1
    terms[_KIND] = _literal_kind(words, end + 4)
    end = iri_end(a, end + 4)
    return end + 1 if end >= 0 and terms[_KIND] >= 0 else -1


@compiled
def _parse_subject(a: Bytes, words: Words, i: int, terms: Numbers) -> int:
    """Read the subject that begins at i; return where it ends, -1 if it is not valid."""
    if a[i] != LESS:
        return -1
    length = terms[_SUBJECT_END] + 1 - terms[_SUBJECT]
    if length > 8 and is_same(words, terms[_SUBJECT], i + 1, length):
        terms[_SUBJECT], terms[_SUBJECT_END] = i + 1, i + length
        return i + length + 1
    end = iri_end(a, i + 1)
    if end < 0:
        return -1
    terms[_SUBJECT], terms[_SUBJECT_END] = i + 1, end
    terms[_ITEM] = -1
    if has(words, i + 1, _ITEM_IRI):
        terms[_ITEM] = read_number(a, i + 1 + _ITEM_LENGTH, end, 12)
    return end + 1


@compiled
def _parse_line(a: Bytes, words: Words, line: int, terms: Numbers) -> int:
    """Find the terms of a line; return where the next line begins, -1 if this one is odd."""
    i = _parse_subject(a, words, line, terms)
    if i < 0 or a[i] != SPACE or a[i + 1] != LESS:
        return -1
    terms[_PREDICATE], end = i + 2, iri_end(a, i + 2)
    if end < 0 or a[end + 1] != SPACE:
        return -1
    terms[_PREDICATE_END] = end
    i = _parse_value(a, words, end + 2, terms)
    if i < 0 or a[i] != SPACE or a[i + 1] != DOT:
        return -1
    i += 3 if a[i + 2] == RETURN else 2
    return i + 1 if a[i] == LINE_END and i - line <= MAX_LINE_BYTES else -1


@compiled
def _judge_fact(a: Bytes, words: Words, terms: Numbers, asked: Bytes) -> int:
    """Say what a direct statement about an item is."""
    number, kind, value = terms[_PROPERTY], terms[_KIND], terms[_VALUE]
    if len(asked) > 0 and (number >= len(asked) or asked[number] == 0):
        return _NOT_ASKED
    if kind == _FORMULA:
        return _IS_FORMULA
    if kind == _UNKNOWN:
        return _UNKNOWN_DATATYPE
    if kind != _URL:
        return _FACT
    if has(words, value, _ENTITY_IRI):
        if has(words, value, _ITEM_IRI):
            terms[_VALUE_ITEM] = read_number(a, value + _ITEM_LENGTH, terms[_VALUE_END], 12)
        terms[_KIND] = _ENTITY
        return _FACT if terms[_VALUE_ITEM] >= 0 else _OTHER_OBJECT
    if has(words, value, _UNKNOWN_IRI):
        return _UNKNOWN_VALUE
    return _FACT if has_scheme(a, value) else _ODD


@compiled
def _judge_text(a: Bytes, words: Words, terms: Numbers, lang: Bytes) -> int:
    """Say what a line about an item is that is no direct statement."""
    predicate = terms[_PREDICATE]
    if has(words, predicate, _LABEL_IRI):
        verdict = _ABOUT
    elif has(words, predicate, _ALIAS_IRI):
        verdict = _ABOUT + 1
    elif has(words, predicate, _DESCRIPTION_IRI):
        verdict = _ABOUT + 2
    else:
        return _OTHER_PREDICATE
    tag = terms[_TAG]
    if terms[_TAG_END] - tag != len(lang):
        return _OTHER_LANGUAGE
    for k in range(len(lang)):
        if lower(a[tag + k]) != lang[k]:
            return _OTHER_LANGUAGE
    return verdict


@compiled
def _judge(a: Bytes, words: Words, terms: Numbers, lang: Bytes, asked: Bytes) -> int:
    """Say what a line is."""
    terms[_PROPERTY] = terms[_VALUE_ITEM] = -1
    if terms[_ITEM] < 0:
        return _NOT_AN_ITEM
    if has(words, terms[_PREDICATE], _DIRECT_IRI):
        terms[_PROPERTY] = read_number(a, terms[_PREDICATE] + _DIRECT_LENGTH, terms[_PREDICATE_END], 9)
        return _judge_fact(a, words, terms, asked) if terms[_PROPERTY] >= 0 else _OTHER_PREDICATE
    return _judge_text(a, words, terms, lang)


@compiled
def _is_day(year: int, month: int, day: int) -> bool:
    if not (year >= 1 and 1 <= month <= 12 and 1 <= day <= _MONTH_DAYS[month - 1]):
        return False
    return month != 2 or day < 29 or (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))


@compiled
def _day(a: Bytes, i: int) -> int:
    """Read the `"YYYY-MM-DD` that begins at i as a number; 0 if it is no day."""
    if a[i] != QUOTE:
        return 0
    day = 0
    for k in range(1, 11):
        if k in (5, 8):
            if a[i + k] != DASH:
                return 0
        elif not CLASS[a[i + k]] & DIGIT:
            return 0
        else:
            day = day * 10 + int(a[i + k]) - ZERO
    return day if _is_day(day // 10_000, day // 100 % 100, day % 100) else 0


@compiled
def _write_about(a: Bytes, terms: Numbers, role: int, position: int, about: About, counts: Numbers) -> None:
    n = counts[N_ABOUT]
    about.item[n] = terms[_ITEM]
    about.role[n] = role
    about.position[n] = position
    start = terms[_VALUE] + (_ENTITY_LENGTH if role == _TYPE_ROLE else 0)
    about.text_end[n + 1] = copy(a, start, terms[_VALUE_END], about.text, about.text_end[n])
    counts[N_ABOUT] += 1


@compiled
def _write_fact(a: Bytes, terms: Numbers, stream: int, offset: int, facts: Facts, counts: Numbers) -> None:
    n = counts[N_FACTS]
    facts.predicate[n] = terms[_PROPERTY]
    facts.subject[n] = terms[_ITEM]
    facts.object[n] = terms[_VALUE_ITEM]
    facts.kind[n] = terms[_KIND]
    facts.stream[n] = stream
    facts.offset[n] = offset
    text_end, lang_end = facts.text_end[n], facts.lang_end[n]
    if terms[_KIND] != _ENTITY:
        text_end = copy(a, terms[_VALUE], terms[_VALUE_END], facts.text, text_end)
        for i in range(terms[_TAG], terms[_TAG_END]):
            facts.lang[lang_end] = lower(a[i])
            lang_end += 1
    facts.text_end[n + 1], facts.lang_end[n + 1] = text_end, lang_end
    counts[N_FACTS] += 1


@entry_point
def read_block(
    a: Bytes,
    words: Words,
    n_bytes: int,
    pieces: Numbers,
    lang: Bytes,
    asked: Bytes,
    facts: Facts,
    about: About,
    odd: Numbers,
    refused: Numbers,
    ignored: Numbers,
    counts: Numbers,
    terms: Numbers,
) -> None:
    """Append what the lines of the block say to facts and about; count all of them in `counts` and `ignored`.

    The lines take `n_bytes` of `a`, and eight bytes at least follow them. `pieces` tells where they come from: rows of
    start in the block, stream, offset in the stream, position in the window. `asked` holds a 1 for each property to
    keep; an empty one keeps all. `odd` gets the start of each line that is left alone, `refused` start and reason of
    each that is refused. There must be room for as many rows as there are lines, and for as much text as there are
    bytes. `terms` is scratch space of N_TERMS numbers.
    """
    terms[:] = 0
    piece = i = 0
    while i < n_bytes:
        line = i
        while piece + 1 < len(pieces) and pieces[piece + 1, 0] <= line:
            piece += 1
        inside = line - pieces[piece, 0]
        counts[N_LINES] += 1
        i = _parse_line(a, words, line, terms)
        verdict = _judge(a, words, terms, lang, asked) if i >= 0 else _ODD
        if verdict == _ODD:
            odd[counts[N_ODD]] = line
            counts[N_ODD] += 1
            i = line
            while a[i] != LINE_END:
                i += 1
            i += 1
        elif verdict == _FACT:
            _write_fact(a, terms, pieces[piece, 1], pieces[piece, 2] + inside, facts, counts)
            if terms[_PROPERTY] == _INSTANCE_OF and terms[_KIND] == _ENTITY:
                _write_about(a, terms, _TYPE_ROLE, pieces[piece, 3] + inside, about, counts)
                counts[N_TYPES] += 1
        elif verdict >= _ABOUT:
            _write_about(a, terms, verdict - _ABOUT, pieces[piece, 3] + inside, about, counts)
        elif verdict >= _REFUSED:
            refused[counts[N_REFUSED], 0], refused[counts[N_REFUSED], 1] = line, verdict - _REFUSED
            counts[N_REFUSED] += 1
        else:
            ignored[verdict] += 1
            if verdict == _NOT_AN_ITEM and has(words, terms[_PREDICATE], _MODIFIED_IRI):
                counts[LAST_DAY] = max(counts[LAST_DAY], _day(a, terms[_VALUE] - 1))
