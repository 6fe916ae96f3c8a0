"""Picks the few lines out of Wikidata's full RDF dump that say more than the truthy dump. Compiled by numba.

Picked are the lines of statements of the asked properties (all lines of a statement stand together), of English
Wikipedia articles and of the number of sitelinks; also each line that is not in the usual form, so that a library can
judge it.
"""

from sources._compiled import compiled, entry_point
from sources._ntriples_bytes import LESS, LINE_END, SPACE, Words, has, iri_end, is_same, pattern, read_number
from sources._truthy_rows import Bytes, Numbers

_STATEMENT_IRI = pattern("http://www.wikidata.org/entity/statement/")
_MAIN_VALUE_IRI, _MAIN_VALUE_LENGTH = pattern("http://www.wikidata.org/prop/statement/P"), 40
_ARTICLE_IRI = pattern("https://en.wikipedia.org/wiki/")
_ABOUT_IRI = pattern("http://schema.org/about>")
_SITELINKS_IRI = pattern("http://wikiba.se/ontology#sitelinks>")

N_LINES, N_PICKED, N_COUNTS = range(3)


@compiled
def _next_line(a: Bytes, i: int) -> int:
    while a[i] != LINE_END:
        i += 1
    return i + 1


@compiled
def _pick_between(a: Bytes, i: int, end: int, picked: Numbers, counts: Numbers) -> None:
    """Pick all lines from i to end."""
    while i < end:
        picked[counts[N_PICKED]] = i
        counts[N_PICKED] += 1
        i = _next_line(a, i)


@compiled
def _is_asked(a: Bytes, words: Words, predicate: int, end: int, asked: Bytes) -> bool:
    """Tell whether the line gives the value of a statement of an asked property."""
    if not has(words, predicate, _MAIN_VALUE_IRI):
        return False
    number = read_number(a, predicate + _MAIN_VALUE_LENGTH, end, 9)
    return bool(0 <= number < len(asked) and asked[number])


@compiled
def _says_more(words: Words, subject: int, predicate: int) -> bool:
    """Tell whether a line that is no statement is worth a look: an article or sitelinks."""
    if has(words, predicate, _SITELINKS_IRI):
        return True
    return has(words, subject, _ARTICLE_IRI) and has(words, predicate, _ABOUT_IRI)


@entry_point
def pick_lines(a: Bytes, words: Words, n_bytes: int, asked: Bytes, picked: Numbers, counts: Numbers) -> None:
    """Write the starts of the picked lines to `picked`.

    The statement that a block begins with may have begun in the block before, and the one that it ends with may go on
    in the next; their lines are picked whatever they say. So are those of a statement with a line beside or inside it
    that is not in the usual form: that may be one of its lines.
    """
    i = group = group_length = 0
    is_asked = True
    was_odd = False
    while i < n_bytes:
        line = i
        counts[N_LINES] += 1
        subject_end = iri_end(a, line + 1) if a[line] == LESS else -1
        predicate_end = -1
        if subject_end >= 0 and a[subject_end + 1] == SPACE and a[subject_end + 2] == LESS:
            predicate_end = iri_end(a, subject_end + 3)
        i = _next_line(a, line)
        if predicate_end < 0:
            if group_length == 0:
                _pick_between(a, line, i, picked, counts)
            is_asked = was_odd = True
            continue
        is_statement = has(words, line + 1, _STATEMENT_IRI)
        length = subject_end - line
        if not (is_statement and length == group_length and is_same(words, group + 1, line + 1, length)):
            if is_asked and group_length > 0:
                _pick_between(a, group, line, picked, counts)
            group, group_length = line, length if is_statement else 0
            is_asked = line == 0 or was_odd
        was_odd = False
        if is_statement:
            is_asked = is_asked or _is_asked(a, words, subject_end + 3, predicate_end, asked)
        elif _says_more(words, line + 1, subject_end + 3):
            _pick_between(a, line, i, picked, counts)
    if group_length > 0:
        _pick_between(a, group, n_bytes, picked, counts)
