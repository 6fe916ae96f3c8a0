"""Milling: the staged facts of one predicate become verified question-answer pairs.

The order is that of `_BEFORE_QUESTIONS`, each a file in sql/; then the questions are rendered in batches, merged into
pairs, checked and written to a Parquet file. What is refused on the way is counted and written to the rejects. Nothing
here holds more than a batch of rows in Python, and DuckDB spills what exceeds the setting `memory_mb`.
"""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.answers import answer_forms
from factmill.dates import firsts_are_days, read_date
from factmill.facts import IdSpace, Kind
from factmill.manifest import Stage
from factmill.pairs import PAIR_SCHEMA
from factmill.paq_form import paq_form
from factmill.rejects import Rejects
from factmill.render import Renderer
from factmill.settings import settings
from factmill.templates import Template
from factmill.warehouse import Warehouse, check_names, statement

_SUBCLASS_OF = 279
_END_TIME = "P582"
_ROWS_A_BATCH = 100_000
_BEFORE_QUESTIONS = (
    "allowed_types",
    "subject_descriptions",
    "named_qualifiers",
    "keyed_facts",
    "question_keys",
    "key_answers",
    "subject_aliases",
    "subject_hints",
    "subject_titles",
    "subject_names",
)
_RENDERED = pa.schema(
    [
        pa.field("key_number", pa.int64()),
        pa.field("name_number", pa.int64()),
        pa.field("wording_number", pa.int64()),
        pa.field("question", pa.string()),
    ]
)
_NAME_FORMS = pa.schema(
    [pa.field("key_number", pa.int64()), pa.field("name_number", pa.int64()), pa.field("subject_form", pa.string())]
)


@dataclass(frozen=True)
class Milled:
    """The pairs of one shard in a Parquet file, in `qa_id` order, and what became of its facts."""

    file: Path
    n_facts: int
    n_keys: int
    n_pairs: int
    n_merged: int
    n_hinted: int
    """Names that several subjects share and that got a hint."""

    @cached_property
    def pairs(self) -> pa.Table:
        """Read all pairs."""
        return pq.read_table(self.file).cast(PAIR_SCHEMA)


def mill(stage: Stage, template: Template, rejects: Rejects, scratch: Path) -> Milled:
    """Return the pairs that this template makes of the staged facts; they are in a file in the scratch folder."""
    with Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        warehouse.attach(stage)
        warehouse.load("asked", _asked(stage, template))
        warehouse.run("asked_facts")
        warehouse.run("literal_values")
        warehouse.load("answer_forms", _answer_forms(warehouse, template))
        for table in _BEFORE_QUESTIONS:
            warehouse.run(table)
        _note_refused(warehouse, rejects)
        n_facts = warehouse.count("keyed_facts")
        warehouse.drop("keyed_facts", "asked_facts")
        _render(warehouse, template)
        warehouse.run("pairs")
        _refuse_faulty_pairs(warehouse, rejects)
        warehouse.run("pair_rows")
        file = scratch / "pairs.parquet"
        return Milled(
            file=file,
            n_facts=n_facts,
            n_keys=warehouse.count("question_keys"),
            n_pairs=warehouse.copy_to_parquet("pair_rows", file),
            n_merged=warehouse.number("select coalesce(sum(n_keys - 1), 0) from pairs"),
            n_hinted=warehouse.number("select count(*) from subject_names where name <> plain_name"),
        )


def _asked(stage: Stage, template: Template) -> pa.Table:
    """One row that tells the SQL what is asked."""
    ids = stage.manifest.ids
    matter = template.matter
    is_wikidata = ids is IdSpace.WIKIDATA
    hints = [ids.stored_hint(hint) for hint in matter.hints]
    ends = _END_TIME if is_wikidata and matter.asks_about_now else None
    return pa.table(
        {
            "shard": pa.array([str(template.shard)]),
            "source": pa.array([template.shard.source]),
            "predicate_key": pa.array([template.shard.key]),
            "template": pa.array([template.name]),
            "pair_kind": pa.array(["multi" if matter.answers == "all" else "single"]),
            "licence": pa.array([stage.manifest.licence], pa.string()),
            "as_of": pa.array([stage.manifest.as_of], pa.date32()),
            "predicate": pa.array([ids.stored_predicate(template.shard)], ids.predicate_type),
            "lang": pa.array([stage.manifest.lang]),
            "subject_types": pa.array([list(matter.subject_types)], pa.list_(pa.string())),
            "subclass_of": pa.array([_SUBCLASS_OF if is_wikidata else None], ids.predicate_type),
            "qualifiers": pa.array([list(template.key_variables)], pa.list_(pa.string())),
            "answer": pa.array([matter.answer], pa.string()),
            "answer_kinds": pa.array([list(matter.answer_kinds)], pa.list_(pa.string())),
            "literal_kind": pa.array([template.literal_kind]),
            "inverse": pa.array([matter.inverse]),
            "end_qualifier": pa.array([ends], pa.string()),
            "wants_description": pa.array([template.wants_description]),
            "wants_aliases": pa.array([matter.aliases]),
            "same_name": pa.array([matter.same_name]),
            "hints": pa.array([hints], pa.list_(ids.predicate_type)),
        }
    )


def _answer_forms(warehouse: Warehouse, template: Template) -> pa.Table:
    values = warehouse.query("from literal_values")
    rows = values.to_pylist()
    dates = [(read_date(row["value"]), row["n_facts"]) for row in rows if row["kind"] == Kind.DATE]
    are_days = firsts_are_days((date, n_facts) for date, n_facts in dates if date)
    unit = template.matter.unit
    forms = [list(answer_forms(Kind(row["kind"]), row["value"], firsts_are_days=are_days, unit=unit)) for row in rows]
    return values.append_column("forms", pa.array(forms, pa.list_(pa.string())))


def _note_refused(warehouse: Warehouse, rejects: Rejects) -> None:
    """Write down the facts that cannot be asked and the names that are left to a better known subject."""
    facts = warehouse.batches(
        "select refusal, entity_text(subject_id) || ' ' || coalesce(object, '') as text, coalesce(place, '') as place"
        " from keyed_facts where refusal is not null order by subject_id, object, place"
    )
    names = warehouse.batches(
        "select refusal, name as text, question_keys.subject as place"
        " from subject_names join question_keys using (key_number) where refusal is not null order by key_number, name"
    )
    for batches in (facts, names):
        for batch in batches:
            for row in batch.to_pylist():
                rejects.add(row["refusal"], row["text"], row["place"])


def _render(warehouse: Warehouse, template: Template) -> None:
    """Render every wording for every name of every question key."""
    wordings = range(len(template.wordings))
    warehouse.load("wordings", pa.table({"wording_number": list(wordings), "wording": list(template.wordings)}))
    warehouse.load("rendered", _RENDERED.empty_table())
    warehouse.load("name_forms", _NAME_FORMS.empty_table())
    names = warehouse.batches(
        "select key_number, name_number, name, description, qualifier_texts from subject_names"
        " join question_keys using (key_number) where refusal is null",
        _ROWS_A_BATCH,
    )
    with ExitStack() as stack:
        renderers = [stack.enter_context(Renderer(wording)) for wording in template.wordings]
        for batch in names:
            numbers = [batch["key_number"], batch["name_number"]]
            columns = _columns(batch, template)
            forms = pa.array(map(paq_form, columns["subject"]), pa.string())
            warehouse.append("name_forms", pa.RecordBatch.from_arrays([*numbers, forms], schema=_NAME_FORMS))
            for number, renderer in enumerate(renderers):
                made = [pa.repeat(number, len(batch)), pa.array(renderer.questions(columns), pa.string())]
                warehouse.append("rendered", pa.RecordBatch.from_arrays([*numbers, *made], schema=_RENDERED))


def _columns(batch: pa.RecordBatch, template: Template) -> dict[str, list[str]]:
    """Return the values of the wordings' variables."""
    columns = {"subject": batch["name"].to_pylist()}
    if template.wants_description:
        columns["description"] = batch["description"].to_pylist()
    if template.key_variables:
        texts = batch["qualifier_texts"].to_pylist()
        for position, name in enumerate(template.key_variables.values()):
            columns[name] = [values[position] for values in texts]
    return columns


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
