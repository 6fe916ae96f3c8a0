"""The contract of the corpus: what a question-answer pair is."""

import pyarrow as pa

SCHEMA_VERSION = 4
"""Part of every shard's digest: a new schema replaces every shard."""

PAIR_SCHEMA = pa.schema(
    [
        pa.field("qa_id", pa.string(), nullable=False),
        pa.field("ordinal", pa.int64()),
        pa.field("question", pa.string(), nullable=False),
        pa.field("answer", pa.list_(pa.string()), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("predicate", pa.string(), nullable=False),
        pa.field("template", pa.string()),
        pa.field("wording", pa.string()),
        pa.field("subject", pa.string()),
        pa.field("subject_label", pa.string()),
        pa.field("subject_name", pa.string()),
        pa.field("objects", pa.list_(pa.string())),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("popularity", pa.int64()),
        pa.field("licence", pa.string()),
        pa.field("as_of", pa.date32()),
        pa.field("places", pa.list_(pa.string())),
        pa.field("wikipedia_title", pa.string()),
    ]
)
"""docs/formats.md says what each column holds, and a test compares the two."""
