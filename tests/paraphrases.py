"""Real paraphrases: two wordings that people wrote for one property, filled with a real subject."""

import gzip
import json
import random
from pathlib import Path

import pyoxigraph as ox


def paraphrase_pairs(data: Path, n: int) -> list[tuple[str, str]]:
    """Return pairs of questions that mean the same; a subject may occur in several of them."""
    with gzip.open(data / "templates" / "kgconv.json.gz", "rt", encoding="utf-8") as file:
        by_property = {
            name: sorted({row["t"].lower().strip(" ?") for row in rows if row["t"].count("{}") == 1})
            for name, rows in json.load(file).items()
        }
    labels: dict[str, str] = {}
    facts: set[tuple[str, str]] = set()
    raw = gzip.decompress((data / "wikidata" / "subset.truthy.nt.gz").read_bytes())
    for triple in ox.parse(raw, format=ox.RdfFormat.N_TRIPLES):
        subject, predicate = (str(term).strip("<>").rsplit("/", 1)[1] for term in (triple.subject, triple.predicate))
        if predicate == "rdf-schema#label" and isinstance(triple.object, ox.Literal) and triple.object.value:
            labels.setdefault(subject, triple.object.value.lower())
        elif predicate.startswith("P"):
            facts.add((subject, predicate))
    chance = random.Random(0)
    usable = sorted(pair for pair in facts if pair[0] in labels and len(by_property.get(pair[1], [])) > 1)
    pairs = []
    for subject, predicate in chance.sample(usable, n):
        one, other = chance.sample(by_property[predicate], 2)
        pairs.append((one.replace("{}", labels[subject]), other.replace("{}", labels[subject])))
    return pairs
