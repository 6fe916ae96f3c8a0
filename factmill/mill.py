"""Milling: the staged facts of one predicate become verified question-answer pairs.

Each table on the way is a file in sql/, in the order of `mill`; the questions are rendered in batches, merged into
pairs, checked and written to a Parquet file. What is refused is counted and written to the rejects. Nothing here holds
more than a batch of rows in Python, and DuckDB spills what exceeds the setting `memory_mb`.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.answers import answer_forms
from factmill.dates import firsts_are_days, read_date
from factmill.facts import IdSpace, Kind
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA
from factmill.paq_form import paq_forms
from factmill.rejects import Rejects
from factmill.render import ROW_END, Renderer
from factmill.settings import settings
from factmill.templates import Template
from factmill.warehouse import Warehouse, check_names, statement

SUBCLASS_OF = 279
_END_TIME = "P582"
_ROWS_A_BATCH = 100_000
_FACTS_A_BUCKET = 2_000_000
_RENDERED = pa.schema(
    [
        pa.field("key_number", pa.int64()),
        pa.field("name_number", pa.int64()),
        pa.field("plain_name", pa.string()),
        pa.field("name", pa.string()),
        pa.field("subject_form", pa.string()),
        pa.field("wording_number", pa.int64()),
        pa.field("question", pa.string()),
    ]
)


@dataclass(frozen=True)
class Milled:
    """The pairs of one shard, and what became of its facts.

    The file holds what differs from pair to pair, in `qa_id` order; the rest is here.
    """

    shard: ShardName
    template: str
    kind: str
    licence: str
    as_of: date | None
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
        same = {
            "source": self.shard.source,
            "predicate": self.shard.key,
            "template": self.template,
            "kind": self.kind,
            "licence": self.licence,
            "as_of": self.as_of,
            "ordinal": None,
            "views": 0,
        }
        read = pq.read_table(self.file)
        columns = [
            pa.repeat(pa.scalar(same[field.name], field.type), len(read)) if field.name in same else read[field.name]
            for field in PAIR_SCHEMA
        ]
        return pa.table(columns, names=PAIR_SCHEMA.names).cast(PAIR_SCHEMA)


def mill(stage: Stage, template: Template, rejects: Rejects, scratch: Path, *, best_known: int | None = None) -> Milled:
    """Return the pairs that this template makes of the staged facts; they are in a file in the scratch folder.

    To look at what a template gives, the facts about a number of the best known subjects will do.
    """
    with Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        asked = _asked(stage, template)
        warehouse.attach(stage, _read_predicates(asked))
        warehouse.load("asked", asked)
        warehouse.run("qualified_facts")
        warehouse.run("asked_facts")
        if best_known is not None:
            warehouse.run("best_known_facts", n_subjects=best_known)
            warehouse.execute("create or replace table asked_facts as from best_known_facts")
        warehouse.run("literal_values")
        warehouse.load("answer_forms", _answer_forms(warehouse, template))
        for table in ("allowed_types", "subject_descriptions", "named_qualifiers", "keyed_facts"):
            warehouse.run(table)
        warehouse.drop("asked_facts", "qualified_facts")
        n_facts = warehouse.count("keyed_facts")
        _note_refused_facts(warehouse, rejects)
        _gather_answers(warehouse)
        warehouse.run("question_keys")
        warehouse.drop("keyed_facts", "key_answers")
        n_keys = warehouse.count("question_keys")
        for table in ("subject_hints", "subject_names"):
            warehouse.run(table)
        _note_refused_names(warehouse, rejects)
        n_hinted = warehouse.number("select count(*) from subject_names where name <> plain_name")
        _render(warehouse, template)
        warehouse.drop("subject_names")
        warehouse.run("pairs")
        warehouse.drop("rendered", "question_keys")
        n_merged = warehouse.number("select coalesce(sum(n_keys - 1), 0) from pairs")
        _refuse_faulty_pairs(warehouse, rejects)
        warehouse.run("pair_rows")
        return Milled(
            shard=template.shard,
            template=template.name,
            kind="multi" if template.matter.answers == "all" else "single",
            licence=stage.manifest.licence,
            as_of=stage.manifest.as_of,
            file=scratch / "pairs.parquet",
            n_facts=n_facts,
            n_keys=n_keys,
            # The file is read once and then gone: what it takes to write counts, not its size.
            n_pairs=warehouse.copy_to_parquet("pair_rows", scratch / "pairs.parquet", compression="snappy"),
            n_merged=n_merged,
            n_hinted=n_hinted,
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
            "same_name": pa.array([matter.same_name]),
            "hints": pa.array([hints], pa.list_(ids.predicate_type)),
        }
    )


def _read_predicates(asked: pa.Table) -> list[int | str]:
    """Name the predicates that any statement reads, so that no other is read from the files."""
    (row,) = asked.select(["predicate", "hints", "subclass_of", "subject_types"]).to_pylist()
    classes = [row["subclass_of"]] if row["subject_types"] and row["subclass_of"] else []
    return [row["predicate"], *row["hints"], *classes]


def _answer_forms(warehouse: Warehouse, template: Template) -> pa.Table:
    values = warehouse.query("from literal_values")
    rows = values.to_pylist()
    dates = [(read_date(row["value"]), row["n_facts"]) for row in rows if row["kind"] == Kind.DATE]
    are_days = firsts_are_days((date, n_facts) for date, n_facts in dates if date)
    unit = template.matter.unit
    forms = [list(answer_forms(Kind(row["kind"]), row["value"], firsts_are_days=are_days, unit=unit)) for row in rows]
    return values.append_column("forms", pa.array(forms, pa.list_(pa.string())))


def _note_refused_facts(warehouse: Warehouse, rejects: Rejects) -> None:
    """Write down the facts that cannot be asked."""
    _note_refused(
        warehouse,
        rejects,
        "select refusal, entity_text(subject_id) || ' ' || coalesce(object, '') as text, coalesce(place, '') as place"
        " from keyed_facts where refusal is not null order by subject_id, object, place",
    )


def _note_refused_names(warehouse: Warehouse, rejects: Rejects) -> None:
    """Write down the names that are left to a better known subject."""
    _note_refused(
        warehouse,
        rejects,
        "select refusal, name as text, subject as place from subject_names"
        " join question_keys on question_keys.rowid = key_number where refusal is not null order by rank, name",
    )


def _note_refused(warehouse: Warehouse, rejects: Rejects, sql: str) -> None:
    for batch in warehouse.batches(sql):
        for row in batch.to_pylist():
            rejects.add(row["refusal"], row["text"], row["place"])


def _gather_answers(warehouse: Warehouse) -> None:
    """Bring the answers of the question keys together that several facts answer."""
    for name in ("is_useful_form", "crowded_facts", "key_answers"):
        warehouse.run(name)
    n_buckets = -(-warehouse.count("crowded_facts") // _FACTS_A_BUCKET)
    for bucket in range(n_buckets):
        warehouse.run("bucket_answers", bucket=bucket, n_buckets=n_buckets)
        warehouse.execute("insert into key_answers from bucket_answers")
    warehouse.drop("crowded_facts")


def _render(warehouse: Warehouse, template: Template) -> None:
    """Render every wording for every name of every question key."""
    wordings = range(len(template.wordings))
    warehouse.load("wordings", pa.table({"wording_number": list(wordings), "wording": list(template.wordings)}))
    warehouse.load("rendered", _RENDERED.empty_table())
    names = warehouse.batches(
        "select key_number, name_number, plain_name, name, description, qualifier_texts from subject_names"
        " join question_keys on question_keys.rowid = key_number where refusal is null",
        _ROWS_A_BATCH,
    )
    with ExitStack() as stack:
        renderers = [stack.enter_context(Renderer(wording)) for wording in template.wordings]
        # DuckDB stores one batch while Python renders the next.
        store = stack.enter_context(ThreadPoolExecutor(1))
        stored: Future[None] | None = None
        for batch in names:
            columns = _columns(batch, template)
            forms = pa.array(paq_forms(ROW_END.join([*columns["subject"], ""]), ROW_END), pa.string())
            known = [batch["key_number"], batch["name_number"], batch["plain_name"], batch["name"], forms]
            for number, renderer in enumerate(renderers):
                made = [pa.repeat(number, len(batch)), pa.array(renderer.questions(columns), pa.string())]
                if stored:
                    stored.result()
                rows = pa.RecordBatch.from_arrays([*known, *made], schema=_RENDERED)
                stored = store.submit(warehouse.append, "rendered", rows)
        if stored:
            stored.result()


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
