"""Which staged facts answer which questions: the heart of the gap analysis.

A question's subjects come from the linker. A fact about one of them answers the question if its other end (or one of
its qualifiers) is what the question accepts: by name in SQL, by date and amount in the judge of EM_norm.
"""

from collections.abc import Sequence

import pyarrow as pa

from factmill.answers import answer_forms
from factmill.home import Home
from factmill.kinds import Kind
from factmill.linker import Mention
from factmill.manifest import Stage
from factmill.scoring.exact import normalise_answer
from factmill.scoring.norm.judge import Accepted, Part
from factmill.settings import settings
from factmill.warehouse import Warehouse

_FORMS = pa.schema([("question", pa.int32()), ("form", pa.string()), ("is_bare", pa.bool_()), ("part", pa.int8())])
_VALUE_FORMS = pa.schema([("kind", pa.string()), ("value", pa.string()), ("form", pa.string())])
_ACCEPTED_VALUES = pa.schema(
    [("question", pa.int32()), ("kind", pa.string()), ("value", pa.string()), ("part", pa.int8())]
)


def answering_facts(
    home: Home, stage: Stage, linked: Sequence[Sequence[Mention]], accepted: Sequence[Accepted]
) -> pa.Table:
    """Return the rows of sql/gap_matches.sql: for each question the predicates of a source that answer it."""
    with home.scratch() as scratch, Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        warehouse.attach(stage)
        warehouse.load("asked", _asked(stage, linked))
        warehouse.execute("create table linked as select distinct id from asked")
        warehouse.load("accepted_forms", _accepted_forms(accepted))
        for name in ("normal_answer", "gap_facts", "gap_names", "gap_values"):
            warehouse.run(name)
        forms = _value_forms(warehouse)
        rows = [
            (kind, value, normalise_answer(form)) for (kind, value), all_forms in forms.items() for form in all_forms
        ]
        warehouse.load("value_forms", _table(rows, _VALUE_FORMS))
        warehouse.load("accepted_values", _judged(warehouse, accepted, forms))
        warehouse.run("gap_matches")
        return warehouse.query("from gap_matches")


def _asked(stage: Stage, linked: Sequence[Sequence[Mention]]) -> pa.Table:
    """Return what each question mentions, the likeliest first; an entity that is mentioned twice counts once."""
    ids = stage.manifest.ids
    rows = [
        (number, place, ids.stored_entity(entity))
        for number, mentions in enumerate(linked)
        for place, entity in enumerate(dict.fromkeys(mention.entity for mention in mentions))
    ]
    return _table(rows, pa.schema([("question", pa.int32()), ("place", pa.int32()), ("id", ids.entity_type)]))


def _accepted_forms(accepted: Sequence[Accepted]) -> pa.Table:
    """Return what is right by its text; other names are bare, which is to say without accents."""
    rows = [
        (number, form, part is Part.NAME, int(part))
        for number, one in enumerate(accepted)
        for forms, part in ((one.exact, Part.EXACT), (one.names, Part.NAME))
        for form in sorted(forms)
        if form
    ]
    return _table(rows, _FORMS)


def _value_forms(warehouse: Warehouse) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return how each value can be written as an answer; a first of January also as the year it may stand for."""
    return {(kind, value): _forms(kind, value) for kind, value in warehouse.rows("gap_values")}


def _forms(kind: str, value: str) -> tuple[str, ...]:
    """Return the forms of a value.

    >>> _forms("date", "1996-05-01T00:00:00Z")
    ('May 1, 1996', '1 May 1996', 'May 1996')
    >>> _forms("qualifier", "Cobb")
    ('Cobb',)
    """
    kinds = [Kind.DATE, Kind.QUANTITY, Kind.TEXT] if kind == "qualifier" else [Kind(kind)]
    found = (
        form
        for one in kinds
        for are_days in (True, False)
        for form in answer_forms(one, value, firsts_are_days=are_days)
    )
    return tuple(dict.fromkeys(found))


def _judged(
    warehouse: Warehouse, accepted: Sequence[Accepted], forms: dict[tuple[str, str], tuple[str, ...]]
) -> pa.Table:
    """Let the judge compare what may answer a question about a date or an amount."""
    numbers = [number for number, one in enumerate(accepted) if one.times or one.amounts]
    warehouse.load("judged_questions", pa.table({"question": pa.array(numbers, pa.int32())}))
    warehouse.run("judged_pairs")
    rows = []
    for number, kind, value in warehouse.rows("judged_pairs"):
        parts = [part for form in forms[kind, value] if (part := accepted[number].part_of(form)) is not Part.WRONG]
        if parts:
            rows.append((number, kind, value, int(min(parts))))
    return _table(rows, _ACCEPTED_VALUES)


def _table(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [[] for _ in schema]
    return pa.Table.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )
