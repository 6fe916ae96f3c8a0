"""Milling: the staged facts of one predicate become verified question-answer pairs.

Each table on the way is a file in sql/. Up to the question key everything concerns one subject, and from there on one
question: so a shard is milled in buckets of subjects, and its questions are then put together in parts that equal
questions share. What goes from one step to the next is kept in Parquet files in the scratch folder, so that nothing
larger than a bucket is ever in memory.

What is refused is counted and written to the rejects: facts that cannot be asked, names that are left to another
subject, and pairs in which a check of sql/checks/ finds a fault.
"""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from factmill.answers import answer_forms
from factmill.asked import asked_row, predicates_read
from factmill.dates import firsts_are_days, read_date
from factmill.kinds import Kind
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.question_texts import render_questions
from factmill.rejects import Rejects
from factmill.settings import settings
from factmill.shard_rows import ShardRows
from factmill.templates import Template
from factmill.warehouse import Warehouse, check_names, statement

_FACTS_A_BUCKET = 3_000_000
_MACROS = ("is_answer_form", "words_of", "stands_in", "may_stand_in", "name_key")
_ANSWER_FORMS = pa.schema(
    [pa.field("kind", pa.string()), pa.field("value", pa.string()), pa.field("forms", pa.list_(pa.string()))]
)


@dataclass(frozen=True)
class Milled:
    """The pairs of one shard, in a file as the corpus keeps it, and what became of its facts."""

    shard: ShardName
    file: Path
    n_facts: int
    n_keys: int
    n_pairs: int
    n_repeated: int
    """Facts that say again what another fact of their question key says."""
    n_merged: int
    """Question keys that share their question with a better known one."""
    n_hinted: int
    """Names that several subjects share and that got a hint."""

    @property
    def rows(self) -> ShardRows:
        """Return the pairs as the rows of their shard."""
        return ShardRows(self.shard, self.file, self.n_pairs)


def mill(stage: Stage, template: Template, rejects: Rejects, scratch: Path, *, best_known: int | None = None) -> Milled:
    """Return the pairs that this template makes of the staged facts; they are in a file in the scratch folder.

    To look at what a template gives, the facts about a number of the best known subjects will do.
    """
    with Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        asked = asked_row(stage, template)
        warehouse.attach(stage, predicates_read(asked))
        warehouse.load("asked", asked)
        return _Mill(warehouse, template, rejects, scratch).run(stage, best_known)


class _Mill:
    """The steps of milling one shard, and what they count."""

    def __init__(self, warehouse: Warehouse, template: Template, rejects: Rejects, scratch: Path) -> None:
        self._warehouse = warehouse
        self._template = template
        self._rejects = rejects
        folders = [scratch / name for name in ("facts", "keys", "forms", "rendered", "crowded", "pairs")]
        for folder in folders:
            folder.mkdir()
        self._facts, self._keys, self._forms, self._rendered, self._crowded, self._pairs = folders
        self._file = scratch / "pairs.parquet"
        self._firsts_are_days = True
        self._n_facts = self._n_keys = self._n_repeated = self._n_hinted = self._n_merged = 0

    def run(self, stage: Stage, best_known: int | None) -> Milled:
        """Do all steps."""
        self._prepare()
        n_parts = self._choose_facts(best_known)
        for bucket in range(n_parts):
            self._find_question_keys(bucket)
        self._compare_names()
        for bucket in range(n_parts):
            self._ask(bucket)
        self._find_repeated_questions()
        for bucket in range(n_parts):
            self._answer(bucket)
        for part in range(n_parts):
            self._merge(part)
        return Milled(
            shard=self._template.shard,
            file=self._file,
            n_facts=self._n_facts,
            n_keys=self._n_keys,
            n_pairs=self._write_rows(stage),
            n_repeated=self._n_repeated,
            n_merged=self._n_merged,
            n_hinted=self._n_hinted,
        )

    def _prepare(self) -> None:
        """Make what all buckets read."""
        for name in (*_MACROS, "allowed_types", "asked_dates"):
            self._warehouse.run(name)
        rows = (row for batch in self._warehouse.batches("from asked_dates") for row in batch.to_pylist())
        dates = ((read_date(row["value"]), row["n_facts"]) for row in rows)
        self._firsts_are_days = firsts_are_days((date, n_facts) for date, n_facts in dates if date)

    def _choose_facts(self, best_known: int | None) -> int:
        """Write the facts to a folder for each bucket; return how many buckets there are."""
        warehouse = self._warehouse
        n_facts = warehouse.number("select count(*) from facts where predicate = (select predicate from asked)")
        n_parts = 1 if best_known is not None else max(1, -(-n_facts // _FACTS_A_BUCKET))
        warehouse.load("parts", pa.table({"n_parts": [n_parts]}))
        if best_known is None:
            warehouse.run("chosen_facts")
            warehouse.copy_to_folders("chosen_facts", self._facts, by="bucket")
        else:
            warehouse.run("best_known_facts", n_subjects=best_known)
            warehouse.copy_to_folders("best_known_facts", self._facts, by="bucket")
        return n_parts

    def _find_question_keys(self, bucket: int) -> None:
        """Turn the facts of a bucket into question keys with their answers."""
        warehouse = self._warehouse
        if files := sorted(self._facts.glob(f"bucket={bucket}/*.parquet")):
            warehouse.view("bucket_facts", *files)
        else:
            warehouse.execute("create or replace view bucket_facts as from facts limit 0")
        for name in ("qualified_facts", "asked_facts", "bucket_entities", "literal_values"):
            warehouse.run(name)
        self._write_values()
        for name in ("subject_descriptions", "named_qualifiers", "keyed_facts"):
            warehouse.run(name)
        warehouse.drop("asked_facts", "qualified_facts", "bucket_entities")
        self._n_facts += warehouse.count("keyed_facts")
        self._note_refused(
            "select refusal, entity_text(subject_id) || ' ' || coalesce(object, '') as text,"
            " coalesce(place, '') as place"
            " from keyed_facts where refusal is not null order by subject_id, object, place"
        )
        warehouse.run("key_answers")
        warehouse.run("question_keys", bucket=bucket)
        self._n_keys += warehouse.count("question_keys")
        self._n_repeated += warehouse.number("select coalesce(sum(n_repeated), 0) from question_keys")
        # Numbers of rows: DuckDB would count them one by one in the statement above.
        warehouse.execute("create view numbered_keys as select rowid as key_number, * from question_keys")
        warehouse.copy_to_parquet("numbered_keys", _part(self._keys, bucket), compression="zstd")
        warehouse.execute("drop view numbered_keys")
        warehouse.copy_to_parquet("answer_forms", _part(self._forms, bucket))
        warehouse.drop("keyed_facts", "key_answers", "question_keys", "answer_forms")

    def _write_values(self) -> None:
        """Write each value that is no entity in the forms in which it can be an answer."""
        unit = self._template.matter.unit
        self._warehouse.load("answer_forms", _ANSWER_FORMS.empty_table())
        for batch in self._warehouse.batches("select kind, value from literal_values"):
            rows = batch.to_pylist()
            forms = [
                list(
                    answer_forms(Kind(row["kind"]), row["value"], firsts_are_days=self._firsts_are_days, unit=unit),
                )
                for row in rows
            ]
            values = [batch["kind"], batch["value"], pa.array(forms, pa.list_(pa.string()))]
            self._warehouse.append("answer_forms", pa.RecordBatch.from_arrays(values, schema=_ANSWER_FORMS))

    def _compare_names(self) -> None:
        """Find the names that several subjects have, over all buckets, and what tells these subjects apart."""
        self._warehouse.view("question_keys", *sorted(self._keys.iterdir()))
        for name in ("names", "lesser_names", "subject_hints"):
            self._warehouse.run(name)

    def _ask(self, bucket: int) -> None:
        """Render the questions of a bucket."""
        warehouse = self._warehouse
        warehouse.view("question_keys", _part(self._keys, bucket))
        warehouse.run("subject_names")
        self._note_refused(
            "select refusal, name as text, subject as place from subject_names where refusal is not null"
            " order by subject, name"
        )
        self._n_hinted += warehouse.number("select count(*) from subject_names where name <> plain_name")
        render_questions(warehouse, self._template)
        warehouse.copy_to_parquet("rendered", _part(self._rendered, bucket), compression="snappy")
        warehouse.drop("subject_names", "rendered")

    def _find_repeated_questions(self) -> None:
        """Find the questions that stand more than once, over all buckets."""
        warehouse = self._warehouse
        warehouse.view("rendered", *sorted(self._rendered.iterdir()))
        warehouse.run("repeated_questions")
        warehouse.view("answer_forms", *sorted(self._forms.iterdir()))
        wordings = self._template.wordings
        numbers = list(range(len(wordings)))
        warehouse.load("wordings", pa.table({"wording_number": numbers, "wording": list(wordings)}))

    def _answer(self, bucket: int) -> None:
        """Make pairs of the questions of a bucket that stand once, and lay the others by."""
        warehouse = self._warehouse
        warehouse.view("question_keys", _part(self._keys, bucket))
        warehouse.view("rendered", _part(self._rendered, bucket))
        for name in ("answered_questions", "crowded_questions"):
            warehouse.run(name)
        warehouse.copy_to_folders("crowded_questions", self._crowded / f"{bucket:05}", by="part")
        # A table, because the questions are looked at more than once.
        warehouse.execute("create or replace table candidates as from answered_questions where not is_repeated")
        warehouse.run("usable_candidates")
        warehouse.execute("create or replace view chosen_candidates as select *, 1 as n_keys from usable_candidates")
        self._write_pairs(_part(self._pairs, bucket))
        warehouse.drop("candidates")

    def _merge(self, part: int) -> None:
        """Make pairs of the questions of a part that stand more than once, in whichever bucket."""
        if files := sorted(self._crowded.glob(f"*/part={part}/*.parquet")):
            self._warehouse.view("candidates", *files)
            for name in ("usable_candidates", "merged_candidates"):
                self._warehouse.run(name)
            self._warehouse.execute("create or replace view chosen_candidates as from merged_candidates")
            self._write_pairs(self._pairs / f"merged-{part:05}.parquet")

    def _write_pairs(self, file: Path) -> None:
        """Make pairs of the chosen candidates, and keep those in which no check finds a fault."""
        warehouse = self._warehouse
        warehouse.run("pairs")
        self._n_merged += warehouse.number("select coalesce(sum(n_keys - 1), 0) from pairs")
        for name in check_names():
            self._refuse_faulty(name)
        warehouse.copy_to_parquet("pairs", file, compression="snappy")
        warehouse.drop("pairs")

    def _write_rows(self, stage: Stage) -> int:
        """Write the pairs of all parts as rows of the corpus; return how many there are."""
        same = {
            "template": pa.array([self._template.name]),
            "kind": pa.array(["multi" if self._template.matter.answers == "all" else "single"]),
            "licence": pa.array([stage.manifest.licence], pa.string()),
            "as_of": pa.array([stage.manifest.as_of], pa.date32()),
        }
        self._warehouse.load("same_in_all", pa.table(same))
        self._warehouse.view("verified_pairs", *sorted(self._pairs.iterdir()))
        self._warehouse.run("pair_rows")
        return self._warehouse.copy_to_parquet("pair_rows", self._file, compression="snappy")

    def _refuse_faulty(self, check: str) -> None:
        """Take the pairs out that a check names."""
        faulty = self._warehouse.query(statement(check))
        if not faulty.num_rows:
            return
        self._warehouse.load("faulty", faulty)
        places = self._warehouse.query(
            "select qa_id, detail, places from faulty join pairs using (qa_id) order by qa_id"
        )
        reason = check.removeprefix("checks/").replace("_", " ")
        for row in places.to_pylist():
            self._rejects.add(reason, row["detail"], " ".join([row["qa_id"], *row["places"]]))
        self._warehouse.execute("delete from pairs where qa_id in (select qa_id from faulty)")

    def _note_refused(self, sql: str) -> None:
        for batch in self._warehouse.batches(sql):
            for row in batch.to_pylist():
                self._rejects.add(row["refusal"], row["text"], row["place"])


def _part(folder: Path, number: int) -> Path:
    return folder / f"{number:05}.parquet"
