"""The questions of one bucket: every wording of a template for every name of its question keys."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import pyarrow as pa

from factmill.paq_form import paq_forms
from factmill.render import ROW_END, Renderer, is_plain
from factmill.templates import Template
from factmill.warehouse import Warehouse

_ROWS_A_BATCH = 20_000
_RENDERED = pa.schema(
    [
        pa.field("key_number", pa.int64()),
        pa.field("name_number", pa.int64()),
        pa.field("plain_name", pa.string()),
        pa.field("name", pa.string()),
        pa.field("wording_number", pa.int64()),
        pa.field("subject_form", pa.string()),
        pa.field("question", pa.string()),
    ]
)
_NAMES = "select key_number, name_number, plain_name, name, description, qualifier_texts from subject_names"


def render_questions(warehouse: Warehouse, template: Template) -> None:
    """Write the table `rendered` from `subject_names`: a row for each name that is not refused and each wording."""
    warehouse.load("rendered", _RENDERED.empty_table())
    names = warehouse.batches(f"{_NAMES} where refusal is null", _ROWS_A_BATCH)
    with ExitStack() as stack:
        renderers = [stack.enter_context(Renderer(wording)) for wording in template.wordings]
        keep_whole_names = [is_plain(wording) for wording in template.wordings]
        # DuckDB stores one batch while Python renders the next.
        store = stack.enter_context(ThreadPoolExecutor(1))
        stored: Future[None] | None = None
        for batch in names:
            columns = _columns(batch, template)
            whole = paq_forms(ROW_END.join([*columns["subject"], ""]), ROW_END)
            known = [batch[name] for name in ("key_number", "name_number", "plain_name", "name")]
            for number, renderer in enumerate(renderers):
                questions = renderer.questions(columns)
                forms = whole if keep_whole_names[number] else list(map(_part_of_name, whole, questions))
                texts = [pa.array(column, pa.string()) for column in (forms, questions)]
                made = [pa.repeat(pa.scalar(number, pa.int64()), len(batch)), *texts]
                if stored:
                    stored.result()
                rows = pa.RecordBatch.from_arrays([*known, *made], schema=_RENDERED)
                stored = store.submit(warehouse.append, "rendered", rows)
        if stored:
            stored.result()


def _part_of_name(form: str, question: str) -> str:
    """Return the longest word of a name that a wording has left in its question; the whole name if there is none."""
    return next((word for word in sorted(form.split(), key=len, reverse=True) if word in question), form)


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
