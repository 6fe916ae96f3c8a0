"""What the linker knows of the staged entities, in arrays: all that it needs while it links."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.facts import IdSpace
from factmill.home import Home
from factmill.linking.kinds import WORDS_OF_OBJECTS, WORDS_OF_SUBJECTS
from factmill.linking.names import Names, table_of
from factmill.linking.roles import Roles, roles_of
from factmill.linking.rows import Rows, joined
from factmill.linking.words import ASKING_WORDS, is_weak, stem_number, words_of
from factmill.manifest import Stage
from factmill.settings import settings
from factmill.warehouse import Warehouse

_MOST_CLUES = 40
_MOST_DESCRIPTION = 400


@dataclass(frozen=True)
class Known:
    """Entities by number: their ids and labels, how well known they are, their names, clues, roles and neighbours."""

    ids: pa.Array
    labels: pa.Array
    popularity: npt.NDArray[np.int64]
    names: Names
    clues: Rows
    """Stems of words that describe it."""
    roles: Rows
    asked: Roles
    neighbours: npt.NDArray[np.int64]
    """Two entities that a fact connects in one number, sorted: see `are_neighbours`."""

    def __len__(self) -> int:
        return len(self.ids)

    def are_neighbours(self, some: npt.NDArray[np.int32], others: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Tell for each two entities whether a fact connects them."""
        if not len(self.neighbours):
            return np.zeros(len(some), bool)
        low, high = np.minimum(some, others).astype(np.int64), np.maximum(some, others)
        wanted = low * len(self) + high
        places = np.minimum(np.searchsorted(self.neighbours, wanted), len(self.neighbours) - 1)
        return np.asarray(self.neighbours[places] == wanted)


def known_entities(home: Home, stage: Stage) -> Known:
    """Read what is known from a staged snapshot."""
    ids = stage.manifest.ids
    asked = roles_of(stage.manifest.source, ids)
    with home.scratch() as scratch, Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        warehouse.attach(stage)
        warehouse.run("linked_entities")
        entities = warehouse.query("select entity, label, popularity from linked_entities order by number")
        n_entities = len(entities)
        popularity = entities["popularity"].to_numpy().astype(np.int64)
        warehouse.run("linked_names")
        names = table_of(warehouse.batches("from linked_names"), popularity)
        warehouse.run("linked_clues")
        warehouse.load("telling", _telling(ids))
        warehouse.run("linked_kinds")
        clues = _clues([*_texts(warehouse)], n_entities)
        warehouse.load("asked_roles", asked.rows)
        warehouse.run("linked_roles")
        roles = _pairs(warehouse.batches("from linked_roles"), n_entities)
        warehouse.run("linked_neighbours")
        connected = [
            batch["one"].to_numpy().astype(np.int64) * n_entities + batch["other"].to_numpy()
            for batch in warehouse.batches("from linked_neighbours")
        ]
    neighbours = np.sort(joined(connected, np.int64))
    return Known(
        entities["entity"].combine_chunks(),
        entities["label"].combine_chunks(),
        popularity,
        names,
        clues,
        roles,
        asked,
        neighbours,
    )


def _telling(ids: IdSpace) -> pa.Table:
    rows = [
        (predicate, is_subject, text)
        for is_subject, words in ((True, WORDS_OF_SUBJECTS), (False, WORDS_OF_OBJECTS))
        for predicate, text in sorted(words.items())
        if ids is IdSpace.WIKIDATA
    ]
    predicates, are_subjects, texts = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table(
        {
            "predicate": pa.array(predicates, ids.predicate_type),
            "is_subject": pa.array(are_subjects, pa.bool_()),
            "text": pa.array(texts, pa.string()),
        }
    )


def _texts(warehouse: Warehouse) -> Iterator[pa.RecordBatch]:
    yield from warehouse.batches("from linked_clues")
    yield from warehouse.batches("from linked_kinds")


def _clues(batches: Iterable[pa.RecordBatch], n_entities: int) -> Rows:
    entities: list[npt.NDArray[np.int32]] = []
    stems: list[npt.NDArray[np.int32]] = []
    for batch in batches:
        found = [_clue_words(text) for text in batch["text"].to_pylist()]
        entities.append(np.repeat(batch["number"].to_numpy().astype(np.int32), [len(words) for words in found]))
        stems.append(np.array([word for words in found for word in words], np.int32))
    return Rows.of(joined(entities, np.int32), joined(stems, np.int32), n_entities)


def _clue_words(text: str) -> list[int]:
    words = words_of(text[:_MOST_DESCRIPTION])[:_MOST_CLUES]
    # A year tells films of one name apart, though it names nothing.
    return [
        stem_number(word)
        for word in words
        if not is_weak(word) or (len(word) == len("2001") and word.isdigit()) or word in ASKING_WORDS
    ]


def _pairs(batches: Iterable[pa.RecordBatch], n_entities: int) -> Rows:
    read = [(batch["number"].to_numpy(), batch["role"].to_numpy().astype(np.int16)) for batch in batches]
    return Rows.of(joined([a for a, _ in read], np.int32), joined([b for _, b in read], np.int16), n_entities)
