"""Lines that a reader of truthy dumps may stumble over, valid and not."""

from typing import AnyStr

from tests.dumps import ALIAS, DESCRIPTION, DIRECT, ENTITY, LABEL, XSD

S = f"<{ENTITY}Q1>"
P = f"<{DIRECT}P1>"
P31 = f"<{DIRECT}P31>"
O = f"<{ENTITY}Q2>"  # noqa: E741
L = f"<{LABEL}>"
GENID = "http://www.wikidata.org/.well-known/genid/"
MODIFIED = "http://schema.org/dateModified"
MATHML = "http://www.w3.org/1998/Math/MathML"
WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
KNOWN = [LABEL, ALIAS, DESCRIPTION, MODIFIED]
DATATYPES = [*(XSD + name for name in ("dateTime", "date", "decimal", "integer", "double", "string")), WKT, MATHML]


def _words(text: AnyStr) -> list[AnyStr]:
    return text.split()


SPACING = [
    "",
    " ",
    "\t",
    " \t \t",
    ".",
    "#",
    "# a comment",
    " \t# a comment",
    f"# {S} {P} {O} .",
    f"{S} {P} {O} .",
    f"{S} {P} {O}.",
    f"{S}{P}{O}.",
    f"{S}\t{P}\t{O}\t.",
    f"  {S}   {P}    {O}     .      ",
    f"{S} {P} {O} . # a comment",
    f"{S} {P} {O} .# a comment",
    f"{S} {P} {O} . # \\uD800 is no character",
    f"{S} {P} {O} . #",
    f"{S} {P} {O} # .",
    f"{S} {P} {O}",
    f"{S} {P} {O} ",
    f"{S} {P} {O} ..",
    f"{S} {P} {O} . .",
    f"{S} {P} {O} . x",
    f"{S} {P} {O} ;",
    f"{S} {P} .",
    f"{S} .",
    S,
    S[:-1],
    "<",
    "<>",
    '"',
    "\\",
    f"{S} {P} {O} . {S} {P31} {O} .",
    f"{S} {P} {O} .{S} {P31} {O} .",
    f"{S} {P} {O} {O} .",
    f"{S} {P31} {O} .\r",
    f"{S} {P31} {O} .\r\r",
    f"{S} {P31} {O} . \r",
    f"{S} {P31} {O}\r.",
    f"{S}\r{P31} {O} .",
    f"\r{S} {P31} {O} .",
    f"{S} {P31} {O} .\r{S} {P} {O} .",
    f"{S} {P31} {O} .\r# a comment",
    f'{S} {P} "a\rb" .',
    f'{S}\t{P} "a\rb" .',
    "\r",
    "\r\r",
    " \r \r",
    f"\ufeff{S} {P} {O} .",
    "\ufeff",
    f"{S}\u00a0{P} {O} .",
    f"{S}\x0b{P} {O} .",
    f"{S} {P} {O} .\x0c",
    f"{S} {P} {O} .\x00",
    f"\x00{S} {P} {O} .",
    f"{S} {P} \x00 .",
    'VERSION "1.2"',
    f"@prefix wd: <{ENTITY}> .",
    f"PREFIX wd: <{ENTITY}>",
    "wd:Q1 wdt:P31 wd:Q2 .",
    "nonsense",
    "<html>",
]

_ESCAPES = _words(r"\q \x41 \u \u00 \u00G0 \uD800 \uDFFF \uD7FF \uD83D\uDE00 \u+041 \ \\ \\\ \\\\")
_ESCAPES += [r"\U0001", r"\U00110000", r"\U0000D800", r"\UFFFFFFFF", r"\Uffffffff", r"\ ", r"\u 041"]

TEXTS = [
    f'{S} {P} "" .',
    f'{S} {P} ""@en .',
    f'{S} {L} ""@en .',
    f'{S} {P} ""^^<{XSD}dateTime> .',
    f'{S} {P} " " .',
    f'{S} {P} "x"',
    f'{S} {P} "x .',
    f'{S} {P} x" .',
    f'{S} {P} """x""" .',
    f'{S} {P} "a"b" .',
    f"{S} {P} 'x' .",
    f"{S} {P} 1 .",
    f"{S} {P} true .",
    f'{S} {P} "x"x .',
    f'{S} {P} "x" "y" .',
    f'{S} {P} "caf\\u00E9 \\U0001F600 \\t\\n\\r\\b\\f\\\\ \\"q\\" \\\'" .',
    f'{S} {L} "caf\\u00e9 \\U0001f600 \\t\\n\\r\\b\\f\\\\ \\"q\\" \\\'"@en .',
    f'{S} {P} "\\u0041\\u07FF\\u0800\\uFFFD\\uFFFE\\uFFFF\\U00010000\\U0010FFFF\\u0080\\u007F" .',
    f'{S} {P} "\\u0000\\u000A\\u000D\\u0022\\u005C\\U00000000" .',
    f'{S} {P} "Aé߿ࠀ\ufffd\uffff\U00010000\U0010ffff\x80\x7f" .',
    f'{S} {P} "\x00\x01\x0b\x1f\x7f\x85\u2028" .',
    f'{S}\t{P} "\x00\x01\x0b\x1f\x7f\x85\u2028"@en .',
    f'{S} {P} "\ufeff" .',
    f'{S} {P} "tab\tand more" .',
    *(f'{S} {P} "x{escape}" .' for escape in _ESCAPES),
    f'{S}\t{P} "x\\uD83D\\uDE00" .',
    f'{S}\t{P} "x\\\\uD83D\\\\uDE00" .',
    f'{S} {P} "> {P31} {O} ." .',
    f'{S} {P} "see {P31} {O} . \\"@en ."@de .',
    f'{S} {P} "\\"@en ." .',
    f'{S} {L} "\\\\"@en .',
    f'{S} {L} "\\\\\\"@en ."@en .',
    f'{S} {P} "a # no comment" .',
    f'{S} {P} "{"long " * 500}\\u00E9"@en .',
    *(f'{S} {P} "{"x" * n}\\"{"y" * n}é" .' for n in range(9)),
    *(f'{S} {L} "{"x" * n}\\u00e9"@en .' for n in range(9)),
]

_TAGS = _words("en EN En en-gb EN-GB zh-Hans de e eng en-1 en-a-a en-x-y i-klingon en-gb-oed-x-y-z")
_TAGS += _words("abcdefgh abcdefghi en-abcdefgh en-abcdefghi EN-ABCDEFGHI en- -en en--x 1en e1 en_US é")
_TAGS += _words("en-é en\\u0061 en--ltr en--rtl en--LTR en--foo EN--ltr en@de en.")
_TAGS += [f"en^^<{XSD}string>", "en\t", "en ", " en", ""]

TAGS = [
    *(f'{S} {predicate} "x"@{tag} .' for predicate in (P, L) for tag in _TAGS),
    f'{S} {L} "x" @en .',
    f'{S} {L} "x"@ en .',
    f'{S} {L} "x"@en.',
    f'{S} {L} "x"',
    f'{S} {L} "x" .',
    f"{S} {L} {O} .",
]

TYPES = [
    *(f'{S} {P} "x"^^<{datatype}> .' for datatype in DATATYPES),
    *(f'{S} {P} "x"^^<{datatype[:-1]}> .' for datatype in DATATYPES),
    *(f'{S} {P} "x"^^<{datatype}x> .' for datatype in DATATYPES),
    *(f'{S} {P} "x"^^<{datatype}>' for datatype in DATATYPES),
    f'{S} {P} "x"^^<{XSD}> .',
    f'{S} {P} "x"^^<{XSD}gYear> .',
    f'{S} {P} "x"^^<{XSD.replace("http:", "https:")}date> .',
    f'{S} {P} "x"^^<{XSD}\\u0064ate> .',
    f'{S} {P} "x"^^<{RDF}langString> .',
    f'{S} {P} "x"^^<{RDF}dirLangString> .',
    f'{S}\t{P} "x"^^<{RDF}langString> .',
    f'{S}\t{P} "x"^^<{RDF}dirLangString> .',
    f'{S} {L} "x"^^<{RDF}langString> .',
    f'{S} {L} "x"^^<{RDF}dirLangString> .',
    f'{S} <a:p> "x"^^<{RDF}dirLangString> .',
    f'{S} {P} "x"^^<{RDF}HTML> .',
    f'{S} {P} "x"^^<{XSD}date>@en .',
    f'{S} {P} "x"@en^^<{XSD}date> .',
    f'{S} {P} "x"^<{XSD}date> .',
    f'{S} {P} "x"^^ <{XSD}date> .',
    f'{S} {P} "x" ^^<{XSD}date> .',
    f'{S} {P} "x"^^"{XSD}date" .',
    f'{S} {P} "x"^^_:b .',
    f'{S} {P} "x"^^<> .',
    f'{S} {P} "x"^^<relative> .',
    f'{S} {P} "x"^^<a b> .',
    f'{S} {P} "x"^^<http://example.org/%zz> .',
    f'{S}\t{P} "x"^^<http://example.org/%zz> .',
    f'{S} {P} "x"^^ .',
    f'{S} {P} "x"^^<{XSD}date .',
]

_ITEMS = _words("Q0 Q00 Q007 Q9 Q999999999999 Q1234567890123 Q9999999999999 Q q1 Q1a Q-1 P1 L1 L1-F1 E1 M1")
_ITEMS += ["Q1#x", "Q1/", "Q1?x", "Q１", "Q1\u0661", "Q%31", "Q\\u0031", "\\u00511", "", "Q1 "]
_PROPERTIES = _words("P0 P00 P031 P9 P999999999 P1234567890 P9999999999 P p31 P31a P31# Q31")
_PROPERTIES += ["", "P-1", "P３1", "P\\u00331", "P3\\u0031", "P 31"]

IDS = [
    *(f"<{ENTITY}{item}> {P31} {O} ." for item in _ITEMS),
    *(f"{S} {P31} <{ENTITY}{item}> ." for item in _ITEMS),
    *(f"{S}\t{P} <{ENTITY}{item}> ." for item in _ITEMS),
    *(f"{S} <{DIRECT}{number}> {O} ." for number in _PROPERTIES),
    *(f"{S} <{prefix}P31> {O} ." for prefix in (DIRECT[:-1], DIRECT + "/", ENTITY, ENTITY + "statement/")),
    f"{S} <http://www.wikidata.org/prop/direct-normalized/P31> {O} .",
    f"{S} <http://www.wikidata.org/prop/P31> {O} .",
    f"{S} <{DIRECT.replace('http:', 'https:')}P31> {O} .",
    f"<{ENTITY.replace('http:', 'https:')}Q1> {P31} {O} .",
    f"{S} {P31} <{ENTITY.replace('http:', 'https:')}Q2> .",
    f"<{ENTITY.upper()}Q1> {P31} {O} .",
    f"<x{ENTITY}Q1> {P31} {O} .",
    f"<{ENTITY[:-1]}Q1> {P31} {O} .",
    f"{S} {P31} <{ENTITY[:-1]}> .",
    f"{S} {P31} <{ENTITY[:-1]}Q1> .",
    *(f'{S} <{iri}> "x"@en .' for iri in KNOWN),
    *(f'{S} <{iri[:-1]}> "x"@en .' for iri in KNOWN),
    *(f'{S} <{iri}s> "x"@en .' for iri in KNOWN),
    *(f'{S} <{iri}>"x"@en.' for iri in KNOWN),
    *(f"{S} {P} <{iri}> ." for iri in KNOWN),
    *(f"{S} {P} <{iri}>" for iri in KNOWN),
    *(f"<{iri}> {P} {O} ." for iri in KNOWN),
    f'{S} <http://www.w3.org/2004/02/skos/core#prefLabel> "x"@en .',
    f'{S} <http://schema.org/name> "x"@en .',
]

_ADDRESSES = [f"http://{place}" for place in ("example.org/%zz", "example.org/[a]", "example.org:80a/", "[::1]/")]
_ADDRESSES += _words("relative /rooted #x 1a:b a a+b-c.d: HTTP: mailto:x@example.org :x a/b:c a:café")
_ADDRESSES += _words("a:{b} a:b|c a:b^c a:b`c a:b<c a:b>c")
_ADDRESSES += [
    "",
    "a:b c",
    "a:b\tc",
    'a:b"c',
    "a:\x01",
    "a:\x7f",
    "a:\ue000",
    "a:\ufffe",
    "a:\u00a0",
    "a:\u2028",
    "a:\U0010ffff",
]
_ADDRESSES += _words(r"a:b\c a:b\tc a:caf\u00E9 a:\U0001F600 a:\u0020 a:\u003E a:\u003C a:\u000A a:\u005C a:\u00")
_ADDRESSES += _words(r"a:\uD800 a:\uD83D\uDE00 a:%zz\u00E9 a:%zz\u000A a:%zz\uD83D\uDE00")

ADDRESSES = [
    *(f"{S} {P} <{iri}> ." for iri in (GENID, GENID[:-1], GENID + "abc", GENID.replace("http:", "https:") + "abc")),
    f"<{GENID}abc> {P} {O} .",
    f"{S} {P} _:b .",
    f"{S} {P} _:b.",
    f"{S} {P} _:b.c .",
    f"{S} {P} _:b. .",
    f"{S} {P} _:1é·. .",
    f"{S} {P} _: .",
    f"{S} {P} _:-b .",
    f"{S} {P} _:\ufffd .",
    f"_:\U000e0001 {P} {O} .",
    f"_:b {P} {O} .",
    f"_:b.0 {P} _:c .",
    f"_:b<{DIRECT}P1>_:c.",
    f"{S} _:b {O} .",
    f"{S} {L} _:b .",
    f'"x" {P} {O} .',
    f'{S} "x" {O} .',
    *(f"{S} {P} <{iri}> ." for iri in _ADDRESSES),
    *(f"{S}\t{P} <{iri}> ." for iri in _ADDRESSES),
    *(f"<{iri}> {P} {O} ." for iri in _ADDRESSES),
    *(f"{S} <{iri}> {O} ." for iri in _ADDRESSES),
    f"{S} {P} <<( {S} {P} {O} )>> .",
    f"<a:s> <a:p> <<( {S} {P} <a:%zz> )>> .",
    f"{S} {P} << {S} {P} {O} >> .",
    f"<<( {S} {P} {O} )>> {P} {O} .",
    f"<< {S} {P} {O} >> {P} {O} .",
    f"{S} {P} <<( {S} {P} <<( {S} {P} {O} )>> )>> .",
]

_DAYS = _words("2026-11-01T03:00:00Z 2024-02-29 2026-02-29 2026-02-31T00:00:00Z 2026-04-31 0000-01-01 2026-13-01")
_DAYS += _words("2026-00-01 2026-01-00 2026-01-32 9999-99-99 2026-11-0 2026-W01-1 20261101 -2026-11-01 +2026-11-01")
_DAYS += _words("1900-02-29 2000-02-29 3000-02-29 ٢٠٢٦-11-01 2026-11-01x")

DAYS = [
    *(f'<http://wikiba.se/ontology#Dump> <{MODIFIED}> "{text}"^^<{XSD}dateTime> .' for text in _DAYS),
    f"<a:s> <{MODIFIED}> <2028-01-01> .",
    f'<a:s> <{MODIFIED}x> "2028-01-01" .',
    f'<a:s> <{MODIFIED}> "2027-01-01"@en .',
    f'<a:s>\t<{MODIFIED}> "2027-01-02" .',
    f'{S} <{MODIFIED}> "2029-01-01"^^<{XSD}dateTime> .',
    f'_:b <{MODIFIED}> "2027-01-03" .',
]

_NOT_UTF8 = _words(b"\xff \xfe \x80 \xbf \xc0\x80 \xc1\xbf \xc3 \xc3( \xe0\x80\x80 \xe0\x9f\xbf \xe2\x82 \xe2(\xa1")
_NOT_UTF8 += _words(b"\xe2\x82( \xed\xa0\x80 \xed\xbf\xbf \xed\xa0\xbd\xed\xb8\x80 \xf0\x80\x80\x80 \xf0\x8f\xbf\xbf")
_NOT_UTF8 += _words(
    b"\xf0\x9f\x98( \xf0(\x8c\xbc \xf4\x90\x80\x80 \xf5\x80\x80\x80 \xf8\x88\x80\x80\x80 caf\xe9 \xff\xfe"
)
_NOT_UTF8 += _words(b"\xc2 \xef\xbf \xf0\x9f \xf0\x9f\x98")

BYTES = [
    *(f'{S} {P} "'.encode() + wrong + b'" .' for wrong in _NOT_UTF8),
    *(f'{S} {L} "x"@en . # '.encode() + wrong for wrong in _NOT_UTF8[:3]),
    *(f"{S} {P} <a:".encode() + wrong + b"> ." for wrong in _NOT_UTF8),
    *(f"{S} {P} {O} .".encode() + wrong for wrong in _NOT_UTF8[:8]),
    *(f'{S} {P} "'.encode() + wrong for wrong in _NOT_UTF8[-8:]),
    *(f"{S} {P} <a:".encode() + wrong for wrong in _NOT_UTF8[-8:]),
    *(wrong + f"{S} {P} {O} .".encode() for wrong in _NOT_UTF8[:4]),
    *(f"# {S}".encode() + wrong for wrong in _NOT_UTF8[:4]),
    *(f'{S} {P} "x"@en'.encode() + wrong + b" ." for wrong in _NOT_UTF8[:4]),
]

HOSTILE = [line.encode() for line in (*SPACING, *TEXTS, *TAGS, *TYPES, *IDS, *ADDRESSES, *DAYS)] + BYTES
"""Without their line ends; no line holds one."""
