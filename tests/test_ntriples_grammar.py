import gzip
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.ntriples import Triple, is_blank_or_comment, parse_triple

HOSTILE = [
    '<a:s> <a:p> "x" .',
    '<a:s> <a:p> "x".',
    '\t<a:s>\t<a:p>\t"x"@en\t.\t# a comment',
    "<a:s><a:p><a:o>.",
    '<a:s> <a:p> "see <http://www.wikidata.org/prop/direct/P31> <a:o> . \\"@en ."@de .',
    '<a:s> <a:p> "caf\\u00E9 \\U0001F600 \\t\\n\\r\\b\\f\\\\ \\"q\\" \\\'" .',
    '<a:s> <a:p> "x"@en-gb .',
    '<a:s> <a:p> "x"@EN .',
    '<a:s> <a:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .',
    "<a:s> <a:p> _:b0 .",
    "_:b.0 <a:p> <a:o> .",
    "<a:s> <a:p> <a:caf\\u00E9> .",
    '<a:s> <a:p> "" .',
    '<a:s> <a:p> "x" . <a:s>',
    '<a:s> <a:p> "x"',
    '<a:s> <a:p> "x"@ .',
    '<a:s> <a:p> "x"@en^^<a:t> .',
    '<a:s> <a:p> "x\\q" .',
    '<a:s> <a:p> "x\\uD800" .',
    '<a:s> <a:p> "x\\u00" .',
    "<a:s> <a p> <a:o> .",
    '"x" <a:p> <a:o> .',
    "<a:s> _:p <a:o> .",
    "<a:s> <a:p> 'x' .",
    "<a:s> <a:p> .",
    "nonsense",
]


def oracle(line: str) -> Triple | None:
    """A slow and obvious reader."""
    try:
        (quad,) = ox.parse(line.encode(), format=ox.RdfFormat.N_TRIPLES)
    except (SyntaxError, ValueError):
        return None
    subject, value = quad.subject, quad.object
    subject_text = f"_:{subject.value}" if isinstance(subject, ox.BlankNode) else subject.value
    if isinstance(value, ox.Literal):
        plain = value.datatype.value in (
            "http://www.w3.org/2001/XMLSchema#string",
            "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
        )
        return Triple(
            subject_text,
            quad.predicate.value,
            None,
            value.value,
            value.language,
            None if plain else value.datatype.value,
        )
    iri = f"_:{value.value}" if isinstance(value, ox.BlankNode) else value.value
    return Triple(subject_text, quad.predicate.value, iri, None, None, None)


@pytest.mark.parametrize("line", HOSTILE)
def test_a_line_means_what_an_independent_parser_says(line: str) -> None:
    assert parse_triple(line) == oracle(line)


@given(st.text(max_size=40), st.sampled_from(["", "@en", "@zh-hans", "^^<a:t>"]))
def test_any_text_survives_escaping(text: str, suffix: str) -> None:
    try:
        line = f"{ox.NamedNode('a:s')} {ox.NamedNode('a:p')} {ox.Literal(text)}{suffix} ."
    except UnicodeEncodeError:
        return  # half of a surrogate pair is no text
    found = parse_triple(line)
    assert found is not None
    assert found.literal == text
    assert found == oracle(line)


def test_blank_lines_and_comments_are_told_apart_from_refused_ones() -> None:
    assert [is_blank_or_comment(line) for line in ("", " \t", "# hello", "  # x", "<a:s>")] == [True] * 4 + [False]


def test_every_line_of_real_data_reads_as_the_oracle_reads_it(shared: Path) -> None:
    with gzip.open(shared / "wikidata" / "subset.truthy.nt.gz", "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()[::7]
    assert [parse_triple(line) for line in lines] == [oracle(line) for line in lines]
