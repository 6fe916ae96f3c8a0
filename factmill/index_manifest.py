"""What an index says of itself: the segments of a shard, what they were made from, and the digest of every file."""

import json
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

INDEX_FORMAT: Literal[3] = 3

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Kind = Literal["flat", "hnsw"]


class SegmentManifest(BaseModel):
    """What a segment holds; `vector_sum` is of all its pairs, live or not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    kind: Kind
    rows: int = Field(ge=0)
    vectors_sha256: Digest
    ids_sha256: Digest
    vector_sum: Name


class ServedSegment(BaseModel):
    """A segment and what of it is live."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    segment: SegmentManifest
    live: int = Field(ge=0)
    rows_sha256: Digest


class IndexManifest(BaseModel):
    """What an index shard was made from. `digest` is of the live pairs and their vectors, however they lie."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[3] = INDEX_FORMAT
    shard: str
    encoder: str
    encoder_digest: str
    dimensions: int = Field(ge=1)
    corpus_digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{15}$")]
    corpus_version: int
    rows: int = Field(ge=0)
    digest: Name
    texts_sha256: Digest
    segments: tuple[ServedSegment, ...]

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        names = {served.segment.name for served in self.segments}
        if len(names) != len(self.segments) or sum(served.live for served in self.segments) != self.rows:
            raise ValueError("its segments do not hold each pair once")
        return self


def is_older(text: bytes) -> bool:
    """Tell whether this is the manifest of an earlier version of factmill."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("format"), int) and found["format"] < INDEX_FORMAT
