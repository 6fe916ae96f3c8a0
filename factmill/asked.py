"""What a template asks, as the one row that the SQL of milling reads."""

import pyarrow as pa

from factmill.facts import IdSpace
from factmill.manifest import Stage
from factmill.templates import Template

SUBCLASS_OF = 279
_END_TIME = "P582"


def asked_row(stage: Stage, template: Template) -> pa.Table:
    """Return the row."""
    ids = stage.manifest.ids
    matter = template.matter
    is_wikidata = ids is IdSpace.WIKIDATA
    hints = [ids.stored_hint(hint) for hint in matter.hints]
    ends = _END_TIME if is_wikidata and matter.asks_about_now else None
    return pa.table(
        {
            "shard": pa.array([str(template.shard)]),
            "predicate": pa.array([ids.stored_predicate(template.shard)], ids.predicate_type),
            "lang": pa.array([stage.manifest.lang]),
            "subject_types": pa.array([list(matter.subject_types)], pa.list_(pa.string())),
            "subclass_of": pa.array([SUBCLASS_OF if is_wikidata else None], ids.predicate_type),
            "qualifiers": pa.array([list(template.key_variables)], pa.list_(pa.string())),
            "answer": pa.array([matter.answer], pa.string()),
            "answer_kinds": pa.array([list(matter.answer_kinds)], pa.list_(pa.string())),
            "literal_kind": pa.array([template.literal_kind]),
            "inverse": pa.array([matter.inverse]),
            "end_qualifier": pa.array([ends], pa.string()),
            "wants_description": pa.array([template.wants_description]),
            "wants_aliases": pa.array([matter.aliases]),
            "alias_min_popularity": pa.array([matter.alias_min_popularity]),
            "same_name": pa.array([matter.same_name]),
            "hints": pa.array([hints], pa.list_(ids.predicate_type)),
        }
    )


def predicates_read(asked: pa.Table) -> list[int | str]:
    """Name the predicates that any statement reads, so that no other is read from the files."""
    (row,) = asked.select(["predicate", "hints", "subclass_of", "subject_types"]).to_pylist()
    classes = [row["subclass_of"]] if row["subject_types"] and row["subclass_of"] else []
    return [row["predicate"], *row["hints"], *classes]
