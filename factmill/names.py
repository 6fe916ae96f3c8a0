"""Names of shards, items and properties, as types that cannot hold anything else.

A shard name ends up in folder names, in Delta predicates and in SPARQL queries. Whatever passes `ShardName.parse`
is safe in all of them, so nothing downstream quotes or escapes a name.

>>> str(ShardName.parse("wikidata/P161~character"))
'wikidata/P161~character'
>>> ShardName.parse("dbpedia/dbo:numberOfEpisodes").folder
'dbo.number^of^episodes'
"""

import re
from dataclasses import dataclass
from typing import Self

from factmill.errors import ConfigError

_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PROPERTY = re.compile(r"P([1-9][0-9]{0,8})")
_ITEM = re.compile(r"Q([1-9][0-9]{0,11})")
_PREFIXED = re.compile(r"(?:dbo|dbp|dct|foaf|geo):[A-Za-z][A-Za-z0-9_]{0,99}")
_LOOKS_LIKE_A_PROPERTY = re.compile(r"p[0-9]+")

SHARD_GRAMMAR = "source/predicate or source/predicate~variant, such as wikidata/P175, dbpedia/dbo:artist or paq/base"


def is_word(text: str) -> bool:
    """Tell whether this is a plain lower-case word: the form of sources, variants and named predicates."""
    return _WORD.fullmatch(text) is not None


@dataclass(frozen=True, order=True)
class ItemId:
    """A Wikidata item.

    >>> ItemId.parse("Q42").number
    42
    """

    number: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `Q42`; anything else is a ConfigError."""
        match = _ITEM.fullmatch(text)
        if match is None:
            raise ConfigError(f"{text!r} is not a Wikidata item. Items look like Q42.")
        return cls(int(match[1]))

    def __str__(self) -> str:
        return f"Q{self.number}"


@dataclass(frozen=True, order=True)
class PropertyId:
    """A Wikidata property.

    >>> PropertyId.parse("P175").number
    175
    """

    number: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `P175`; anything else is a ConfigError."""
        match = _PROPERTY.fullmatch(text)
        if match is None:
            raise ConfigError(f"{text!r} is not a Wikidata property. Properties look like P175.")
        return cls(int(match[1]))

    def __str__(self) -> str:
        return f"P{self.number}"


@dataclass(frozen=True, order=True)
class ShardName:
    """All pairs of one source and one predicate, or of one variant of it."""

    source: str
    predicate: str
    variant: str = ""

    def __post_init__(self) -> None:
        if not (is_word(self.source) and self._predicate_is_valid() and self._variant_is_valid()):
            raise ConfigError(f"{str(self)[:100]!r} is not a shard name. Write {SHARD_GRAMMAR}.")

    def _predicate_is_valid(self) -> bool:
        if _PROPERTY.fullmatch(self.predicate) or _PREFIXED.fullmatch(self.predicate):
            return True
        # The word "p175" would share a folder with P175 where the file system ignores case.
        return is_word(self.predicate) and not _LOOKS_LIKE_A_PROPERTY.fullmatch(self.predicate)

    def _variant_is_valid(self) -> bool:
        return self.variant == "" or is_word(self.variant)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `source/predicate[~variant]`; anything else is a ConfigError."""
        source, slash, rest = text.partition("/")
        predicate, tilde, variant = rest.partition("~")
        if not slash or (tilde and not variant):
            raise ConfigError(f"{text[:100]!r} is not a shard name. Write {SHARD_GRAMMAR}.")
        return cls(source, predicate, variant)

    @property
    def key(self) -> str:
        """Return the part after the source, `P161~character`: the value of the corpus' `predicate` column."""
        return f"{self.predicate}~{self.variant}" if self.variant else self.predicate

    @property
    def folder(self) -> str:
        """Return `key` as a folder name that differs from all others even where the file system ignores case.

        A Wikidata property stays as it is. Elsewhere a capital becomes `^` and its small letter, a colon a dot.
        """
        if _PROPERTY.fullmatch(self.predicate):
            return self.key
        return re.sub(r"[A-Z]", lambda capital: "^" + capital[0].lower(), self.key).replace(":", ".")

    def __str__(self) -> str:
        return f"{self.source}/{self.key}"
