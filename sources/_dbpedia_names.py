"""How DBpedia calls things, and how we do: resources, predicates, types, and the same things in Wikidata."""

import re
from urllib.parse import unquote

from factmill.errors import ConfigError
from factmill.names import ShardName

VOCABULARIES = {
    "dbo": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
}
"""What a predicate may come from. factmill/names.py knows the same prefixes."""

_KNOWN = (
    f"Predicates look like dbo:artist; the prefixes are {', '.join(f'{prefix}:' for prefix in VOCABULARIES)}. A full"
    " address of one of these vocabularies works too."
)

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"
ABSTRACT = "http://dbpedia.org/ontology/abstract"
SHORT_ABSTRACT = "http://www.w3.org/2000/01/rdf-schema#comment"
RESOURCE = "http://dbpedia.org/resource/"
WIKIDATA_ENTITY = "http://www.wikidata.org/entity/"

_DISAMBIGUATION = re.compile(r"(.*\S) \([^()]+\)")
_WIKIDATA_ITEM = re.compile(re.escape(WIKIDATA_ENTITY) + r"(Q[1-9][0-9]{0,11})")


def entity_id(iri: str) -> str:
    """Shorten the address of a resource.

    >>> entity_id("http://dbpedia.org/resource/Hey_Jude")
    'dbr:Hey_Jude'
    """
    return "dbr:" + iri.removeprefix(RESOURCE) if iri.startswith(RESOURCE) else iri


def wikipedia_title(iri: str) -> str | None:
    """Return the title of the English Wikipedia's article that a resource stands for.

    >>> wikipedia_title("http://dbpedia.org/resource/Guns_N'_Roses_%28album%29")
    "Guns N' Roses (album)"
    """
    name = unquote(iri.removeprefix(RESOURCE)).replace("_", " ").strip() if iri.startswith(RESOURCE) else ""
    return name or None


def type_id(iri: str) -> str | None:
    """Shorten a type of DBpedia's own ontology; None for one of another vocabulary.

    >>> type_id("http://dbpedia.org/ontology/Film")
    'dbo:Film'
    """
    ontology = VOCABULARIES["dbo"]
    return "dbo:" + iri.removeprefix(ontology) if iri.startswith(ontology) else None


def wikidata_id(iri: str) -> str | None:
    """Return the Wikidata item that an address names.

    >>> wikidata_id("http://www.wikidata.org/entity/Q42"), wikidata_id("http://d-nb.info/gnd/119033364")
    ('Q42', None)
    """
    match = _WIKIDATA_ITEM.fullmatch(iri)
    return match[1] if match else None


def plain_label(label: str) -> str:
    """Cut off what Wikipedia adds to tell two articles of one name apart.

    >>> plain_label("Hello (Adele song)")
    'Hello'
    """
    match = _DISAMBIGUATION.fullmatch(label)
    return match[1] if match else label


def parse_predicate(text: str) -> ShardName:
    """Read a predicate with its prefix or as a full address.

    >>> str(parse_predicate("dbo:artist")), str(parse_predicate("<http://dbpedia.org/property/founded>"))
    ('dbpedia/dbo:artist', 'dbpedia/dbp:founded')
    """
    iri = text.strip().removeprefix("<").removesuffix(">")
    for prefix, vocabulary in VOCABULARIES.items():
        if iri.startswith(vocabulary):
            return ShardName("dbpedia", f"{prefix}:{iri.removeprefix(vocabulary)}")
    if "://" in iri:
        raise ConfigError(f"{iri[:200]} is of no vocabulary that we know. {_KNOWN}")
    shard = ShardName("dbpedia", iri)
    predicate_iri(shard)
    return shard


def predicate_iri(shard: ShardName) -> str:
    """Return the address of a predicate. A shard name holds nothing that could leave the brackets of an address."""
    prefix, _, name = shard.predicate.partition(":")
    if prefix not in VOCABULARIES or not name:
        raise ConfigError(f"{shard} is not a DBpedia predicate. {_KNOWN}")
    return VOCABULARIES[prefix] + name
