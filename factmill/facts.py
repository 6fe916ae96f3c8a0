"""The contract between sources and everything after them: what a fact is, and what is known about an entity.

A source yields Arrow batches of two kinds. `facts` are statements; `about` says what an entity is called, what it is
and how well it is known. Ids are compact: Wikidata's are integers (Q42 is 42, P175 is 175), other sources' are text.
The columns are the same for all sources, only the id type differs, so one set of SQL serves them all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from factmill.kinds import Kind as Kind
from factmill.names import ItemId, PropertyId, ShardName


class Role(StrEnum):
    """What an `about` row says of its entity."""

    LABEL = "label"
    ALIAS = "alias"
    DESCRIPTION = "description"
    TYPE = "type"
    POPULARITY = "popularity"
    STATEMENTS = "statements"
    POINTERS = "pointers"
    SITELINKS = "sitelinks"
    TITLE = "title"
    SAME_AS = "same_as"


class IdSpace(StrEnum):
    """How a source's ids are stored: Wikidata's as integers, the others' as text."""

    WIKIDATA = "wikidata"
    TEXT = "text"

    @property
    def entity_type(self) -> pa.DataType:
        """Arrow type of an entity id."""
        return pa.int64() if self is IdSpace.WIKIDATA else pa.string()

    @property
    def predicate_type(self) -> pa.DataType:
        """Arrow type of a predicate."""
        return pa.int32() if self is IdSpace.WIKIDATA else pa.string()

    def stored_predicate(self, shard: ShardName) -> int | str:
        """Return the shard's predicate as it is stored."""
        return PropertyId.parse(shard.predicate).number if self is IdSpace.WIKIDATA else shard.predicate

    def stored_hint(self, text: str) -> int | str:
        """Return a predicate that is named without its source as it is stored."""
        return PropertyId.parse(text).number if self is IdSpace.WIKIDATA else text

    def stored_entity(self, text: str) -> int | str:
        """Return an entity id as it is stored."""
        return ItemId.parse(text).number if self is IdSpace.WIKIDATA else text

    def fact_schema(self) -> pa.Schema:
        """Columns of a batch of facts.

        `object` holds an entity's id, `value` the text of any other kind; exactly one of them is set, in a fact and
        in each of its qualifiers. `place` leads back to the input, as `DUMP_PLACE` or as the source's own text.
        """
        qualifier = pa.struct([("name", pa.string()), ("object", self.entity_type), ("value", pa.string())])
        return pa.schema(
            [
                pa.field("predicate", self.predicate_type, nullable=False),
                pa.field("subject", self.entity_type, nullable=False),
                pa.field("object", self.entity_type),
                pa.field("value", pa.string()),
                pa.field("kind", _FEW_TEXTS, nullable=False),
                pa.field("lang", pa.string()),
                pa.field("qualifiers", pa.list_(qualifier)),
                pa.field("place", pa.string() if self is IdSpace.TEXT else DUMP_PLACE, nullable=False),
            ]
        )

    def about_schema(self) -> pa.Schema:
        """Columns of a batch of what is known about entities: a text or a number. `position` grows along the input."""
        return pa.schema(
            [
                pa.field("id", self.entity_type, nullable=False),
                pa.field("role", _FEW_TEXTS, nullable=False),
                pa.field("text", pa.string()),
                pa.field("number", pa.int64()),
                pa.field("position", pa.int64(), nullable=False),
            ]
        )


DUMP_PLACE = pa.struct([pa.field("member", pa.int64(), nullable=False), pa.field("offset", pa.int64(), nullable=False)])
"""Where a line of a dump is: the start of its gzip member (bzip2 stream, Zstandard frame) in the file, and its first
byte in what that member holds."""

_FEW_TEXTS = pa.dictionary(pa.int8(), pa.string())


class Batch(NamedTuple):
    """One batch from a source."""

    table: Literal["facts", "about"]
    rows: pa.RecordBatch
    is_second_form: bool = False
    """Whether the same statements are there without qualifiers as well, so that they do not count twice."""


class Finished(NamedTuple):
    """A table that a source has made itself, as a Parquet file in the form and the order in which it is staged."""

    table: Literal["facts", "entities"]
    path: Path
    n_by_kind: Mapping[str, int] = MappingProxyType({})
    """How many facts of each kind are in it."""
    figures: Mapping[str, float] = MappingProxyType({})
    """What else is worth telling about it."""


@dataclass(frozen=True)
class SourceInfo:
    """What a source is. Every module in sources/ has one of these as `INFO`."""

    name: str
    licence: str
    ids: IdSpace
    is_whole: bool
    """Whether a snapshot holds all predicates of the source, so that one that is missing is gone."""
    is_dump: bool = False
    """Whether a place is unique and batches of facts come sorted by predicate and place."""
    gives_finished: bool = False
    """Whether its reader makes the tables of facts and entities itself."""


def record_batch(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    """Turn rows into a batch of this schema."""
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
