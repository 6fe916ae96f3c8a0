"""Turn the two readable tables of this folder into a small dump in the form of Wikidata's truthy dump.

Reads `wikidata.tsv` (facts) and `wikidata_names.tsv` (descriptions and aliases) and writes `wikidata.nt.gz`:
N-Triples, grouped by entity, byte for byte the same on every run.
"""

import csv
import gzip
import re
from pathlib import Path

ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
XSD = "http://www.w3.org/2001/XMLSchema#"
SCHEMA = "http://schema.org/"
SKOS = "http://www.w3.org/2004/02/skos/core#"
LABELS = ("http://www.w3.org/2000/01/rdf-schema#label", f"{SKOS}prefLabel", f"{SCHEMA}name")
MODIFIED = "2026-11-01T00:00:00Z"
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a tab-separated table with a header line."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def literal(value: str, datatype: str) -> str:
    """A typed literal in N-Triples."""
    return f'"{value}"^^<{XSD}{datatype}>'


def english(text: str) -> str:
    """An English text in N-Triples."""
    return f'"{text.translate(ESCAPES)}"@en'


def term(value: str) -> str:
    """The object of a fact: an entity, a date or a number."""
    if re.fullmatch(r"Q\d+", value):
        return f"<{ENTITY}{value}>"
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return literal(f"{value}T00:00:00Z", "dateTime")
    if re.fullmatch(r"\d+", value):
        return literal(f"+{value}", "decimal")
    raise ValueError(f"neither an entity, a date nor a number: {value!r}")


def dump_lines(folder: Path) -> list[str]:
    """The lines of the dump, without line ends, made from the tables in `folder`."""
    labels: dict[str, str] = {}
    facts: dict[str, list[tuple[str, str]]] = {}
    for row in read_table(folder / "wikidata.tsv"):
        facts.setdefault(row["subject"], []).append((DIRECT + row["property"], term(row["object"])))
        named = [(row["subject"], row["subject_label"]), (row["object"], row["object_label"])]
        labels.update((entity, label) for entity, label in named if label)
    names = {row["id"]: row for row in read_table(folder / "wikidata_names.tsv")}
    lines = [f"<http://wikiba.se/ontology#Dump> <{SCHEMA}dateModified> {literal(MODIFIED, 'dateTime')} ."]
    for entity in sorted(labels, key=lambda name: int(name[1:])):
        pairs = [(predicate, english(labels[entity])) for predicate in LABELS]
        if entity in names:
            pairs.append((f"{SCHEMA}description", english(names[entity]["description"])))
            aliases = filter(None, names[entity]["aliases"].split("|"))
            pairs.extend((f"{SKOS}altLabel", english(alias)) for alias in aliases)
        pairs.extend(facts.get(entity, []))
        lines.extend(f"<{ENTITY}{entity}> <{predicate}> {value} ." for predicate, value in pairs)
    return lines


def main() -> None:
    """Write `wikidata.nt.gz` beside this script."""
    folder = Path(__file__).parent
    text = "".join(f"{line}\n" for line in dump_lines(folder))
    (folder / "wikidata.nt.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
