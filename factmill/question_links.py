"""Which staged entities a set of questions mentions.

The linker finds them, and where a source knows how people name what it is about, also whatever bears such a name. To
open a linker takes seconds to minutes, so what was found is kept in the home, under the snapshot, the questions and
the threshold that it depends on.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.errors import ConfigError
from factmill.home import Home
from factmill.linker import open_linker
from factmill.manifest import Stage, staged_sources
from factmill.project import load_source
from factmill.questions import QuestionSet
from factmill.settings import settings
from factmill.warehouse import Warehouse

_VERSION = 1
"""Raise it when the same questions would be linked otherwise."""
_NAMES_IN = "names_in_questions"
"""What a source module calls its function that finds names in questions, if it has one."""


def linked_by_source(
    home: Home, sets: Sequence[QuestionSet], source: str | None = None
) -> tuple[dict[str, pa.Table], list[str]]:
    """Return the entities that questions mention, a table a source, and the sources of which they mention nothing."""
    asked = [question for one in sets for question in one.questions]
    found = {name: linked_entities(home, name, asked) for name in ([source] if source else staged_sources(home))}
    silent = [name for name, table in found.items() if not len(table)]
    if found and len(silent) == len(found):
        raise ConfigError(
            f"{_names(sets)}: none of the {len(asked):,} questions mentions an entity that is staged from"
            f" {', '.join(found)}. Are they in the language of the staged names ({_languages(home, found)})?"
            " See `factmill link --questions`."
        )
    return {name: table for name, table in found.items() if len(table)}, silent


def linked_entities(home: Home, source: str, questions: Sequence[str], *, threshold: float | None = None) -> pa.Table:
    """Return ids of entities as they are staged, in order, and how many of the questions mention each."""
    stage = Stage.current(home, source)
    least = settings().link_threshold if threshold is None else threshold
    known = json.dumps([_VERSION, least, sorted(questions)])
    name = hashlib.sha256(known.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    file = home.links(source) / f"{stage.manifest.snapshot}-{name}.parquet"
    if not file.exists():
        _write(file, _counted(home, stage, questions, least))
    return pq.read_table(file)


def _counted(home: Home, stage: Stage, questions: Sequence[str], threshold: float) -> pa.Table:
    counts: Counter[int | str] = Counter()
    ids = stage.manifest.ids
    for mentions in open_linker(home, stage.manifest.source, threshold=threshold).link(questions):
        counts.update({ids.stored_entity(mention.entity) for mention in mentions})
    for entity in _named(home, stage, questions):
        counts[entity] = max(1, counts[entity])
    rows = sorted(counts.items())
    return pa.table(
        {
            "id": pa.array([entity for entity, _ in rows], ids.entity_type),
            "n_questions": pa.array([n for _, n in rows], pa.int64()),
        }
    )


def _named(home: Home, stage: Stage, questions: Sequence[str]) -> list[int | str]:
    """Return the subjects that bear a name which the source's own pattern finds in the questions."""
    names_in = getattr(load_source(stage.manifest.source), _NAMES_IN, None)
    if names_in is None:
        return []
    with home.scratch() as scratch, Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        warehouse.attach(stage)
        warehouse.load("asked_names", pa.table({"name": pa.array(sorted(names_in(questions)), pa.string())}))
        warehouse.run("title_key")
        warehouse.run("named_subjects")
        return [entity for (entity,) in warehouse.rows("named_subjects")]


def _write(file: Path, table: pa.Table) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        pq.write_table(table, temporary)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _names(sets: Sequence[QuestionSet]) -> str:
    return ", ".join(one.name for one in sets)


def _languages(home: Home, sources: Mapping[str, object]) -> str:
    return ", ".join(sorted({Stage.current(home, source).manifest.lang for source in sources}))
