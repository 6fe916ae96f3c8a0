"""Milling: the staged facts of one predicate become verified question-answer pairs.

The order is that of the files in sql/: asked_facts, literal_values, allowed_types, subject_descriptions, keyed_facts,
question_keys, key_answers, then the questions are rendered, merged into pairs and checked. What is refused on the way
is counted and written to the rejects.
"""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from factmill.answers import answer_forms
from factmill.dates import firsts_are_days, read_date
from factmill.facts import IdSpace, Kind
from factmill.manifest import Stage
from factmill.pairs import PAIR_SCHEMA
from factmill.rejects import Rejects
from factmill.render import paq_form, render
from factmill.templates import Template
from factmill.warehouse import Warehouse, check_names, statement

_SUBCLASS_OF = 279


@dataclass(frozen=True)
class Milled:
    """The pairs of one shard in `qa_id` order, and what became of its facts."""

    pairs: pa.Table
    n_facts: int
    n_keys: int
    n_merged: int


def mill(stage: Stage, template: Template, rejects: Rejects, scratch: Path) -> Milled:
    """Return the pairs that this template makes of the staged facts."""
    with Warehouse(scratch) as warehouse:
        warehouse.attach(stage)
        warehouse.load("asked", _asked(stage, template))
        warehouse.run("asked_facts")
        warehouse.run("literal_values")
        warehouse.load("answer_forms", _answer_forms(warehouse))
        for table in ("allowed_types", "subject_descriptions", "keyed_facts", "question_keys", "key_answers"):
            warehouse.run(table)
        _note_refused_facts(warehouse, rejects)
        warehouse.load("rendered", _rendered(warehouse, template))
        warehouse.run("pairs")
        _refuse_faulty_pairs(warehouse, rejects)
        counts = warehouse.query(
            "select coalesce(sum(n_keys - 1) filter (where n_keys > 1), 0)::bigint as n_merged from pairs"
        )
        return Milled(
            pairs=_pair_rows(warehouse, stage, template),
            n_facts=warehouse.count("keyed_facts"),
            n_keys=warehouse.count("question_keys"),
            n_merged=counts["n_merged"][0].as_py(),
        )


def _asked(stage: Stage, template: Template) -> pa.Table:
    """One row that tells the SQL what is asked."""
    ids = stage.manifest.ids
    return pa.table(
        {
            "shard": pa.array([str(template.shard)]),
            "predicate": pa.array([ids.stored_predicate(template.shard)], ids.predicate_type),
            "lang": pa.array([stage.manifest.lang]),
            "subject_types": pa.array([list(template.matter.subject_types)], pa.list_(pa.string())),
            "subclass_of": pa.array([_SUBCLASS_OF if ids is IdSpace.WIKIDATA else None], ids.predicate_type),
            "qualifiers": pa.array([list(template.key_variables)], pa.list_(pa.string())),
            "answer": pa.array([template.matter.answer], pa.string()),
            "answer_kinds": pa.array([list(template.matter.answer_kinds)], pa.list_(pa.string())),
            "literal_kind": pa.array([template.literal_kind]),
            "wants_description": pa.array([template.wants_description]),
        }
    )


def _answer_forms(warehouse: Warehouse) -> pa.Table:
    values = warehouse.query("from literal_values")
    rows = values.to_pylist()
    dates = [(read_date(row["value"]), row["n_facts"]) for row in rows if row["kind"] == Kind.DATE]
    are_days = firsts_are_days((date, n_facts) for date, n_facts in dates if date)
    forms = [list(answer_forms(Kind(row["kind"]), row["value"], firsts_are_days=are_days)) for row in rows]
    return values.append_column("forms", pa.array(forms, pa.list_(pa.string())))


def _note_refused_facts(warehouse: Warehouse, rejects: Rejects) -> None:
    refused = warehouse.query("select refusal, subject, object, place from keyed_facts where refusal is not null")
    for row in refused.to_pylist():
        rejects.add(row["refusal"], f"{row['subject']} {row['object']}", row["place"] or "")


def _rendered(warehouse: Warehouse, template: Template) -> pa.Table:
    """Render every wording for every question key."""
    keys = warehouse.query(
        "select key_number, subject_label, description, qualifier_texts from question_keys order by key_number"
    )
    texts = keys["qualifier_texts"].to_pylist()
    columns = {"subject": keys["subject_label"].to_pylist()}
    if template.wants_description:
        columns["description"] = keys["description"].to_pylist()
    for position, name in enumerate(template.key_variables.values()):
        columns[name] = [values[position] for values in texts]
    subject_forms = [paq_form(label) for label in columns["subject"]]
    tables = [
        pa.table(
            {
                "key_number": keys["key_number"],
                "wording_number": pa.array([number] * len(keys), pa.int64()),
                "wording": pa.array([wording] * len(keys), pa.string()),
                "question": pa.array([paq_form(question) for question in render(wording, columns)], pa.string()),
                "subject_form": pa.array(subject_forms, pa.string()),
            }
        )
        for number, wording in enumerate(template.wordings)
    ]
    return pa.concat_tables(tables)


def _refuse_faulty_pairs(warehouse: Warehouse, rejects: Rejects) -> None:
    """Run every check in sql/checks/ and take the pairs it names out."""
    for name in check_names():
        faulty = warehouse.query(statement(name))
        if faulty.num_rows:
            reason = name.removeprefix("checks/").replace("_", " ")
            for row in faulty.to_pylist():
                rejects.add(reason, row["detail"], row["qa_id"])
            warehouse.load("faulty", faulty)
            warehouse.execute("delete from pairs where qa_id in (select qa_id from faulty)")


def _pair_rows(warehouse: Warehouse, stage: Stage, template: Template) -> pa.Table:
    rows = warehouse.query("select * exclude (subject_form, n_keys) from pairs order by qa_id")
    n = rows.num_rows
    same_in_every_row = {
        "ordinal": pa.nulls(n, pa.int64()),
        "source": pa.array([template.shard.source] * n, pa.string()),
        "predicate": pa.array([template.shard.key] * n, pa.string()),
        "template": pa.array([template.name] * n, pa.string()),
        "kind": pa.array(["multi" if template.matter.answers == "all" else "single"] * n, pa.string()),
        "licence": pa.array([stage.manifest.licence] * n, pa.string()),
        "as_of": pa.array([stage.manifest.as_of] * n, pa.date32()),
        "views": pa.array([0] * n, pa.int64()),
    }
    columns = [
        same_in_every_row[field.name] if field.name in same_in_every_row else rows[field.name].cast(field.type)
        for field in PAIR_SCHEMA
    ]
    return pa.Table.from_arrays(columns, schema=PAIR_SCHEMA)
