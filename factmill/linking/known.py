"""What the linker knows of the staged entities, in arrays: all that it needs while it links."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

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

_LEAST_MEGABYTES = 400
_MOST_CLUES = 40
_ENTITIES_A_RANGE = 250_000
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
    # The arrays that are built meanwhile take more than DuckDB does.
    megabytes = max(_LEAST_MEGABYTES, settings().memory_mb // 3)
    with home.scratch() as scratch, Warehouse(scratch, megabytes=megabytes) as warehouse:
        warehouse.attach(stage)
        warehouse.run("linkable_entities")
        entities = warehouse.query("select entity, label, popularity from linkable_entities order by number")
        n_entities = len(entities)
        popularity = entities["popularity"].to_numpy().astype(np.int64)
        warehouse.run("linked_names")
        names = table_of(warehouse.batches("from linked_names"), popularity)
        warehouse.load("telling", _telling(ids))
        clues = _clues(_said(warehouse, n_entities), n_entities)
        warehouse.load("asked_roles", asked.rows)
        warehouse.run("linked_roles")
        roles = _pairs(warehouse.batches("from linked_roles"), n_entities)
        warehouse.run("linked_neighbours")
        connected = [
            batch["one"].to_numpy().astype(np.int64) * n_entities + batch["other"].to_numpy()
            for batch in warehouse.batches("from linked_neighbours")
        ]
    neighbours = joined(connected, np.int64)
    neighbours.sort()
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


def _said(warehouse: Warehouse, n_entities: int) -> Iterator[pa.RecordBatch]:
    """Yield what is said of the entities, in their order."""
    for low in range(0, n_entities, _ENTITIES_A_RANGE):
        warehouse.run("linked_clues", low=low, high=low + _ENTITIES_A_RANGE)
        yield from warehouse.batches("from linked_clues order by number")


def _clues(batches: Iterable[pa.RecordBatch], n_entities: int) -> Rows:
    """Collect the stems of each entity's texts; the batches are in the order of the entities."""
    counts = np.zeros(n_entities + 1, np.int64)
    stems: list[npt.NDArray[np.int32]] = []
    for batch in batches:
        words = [sorted(set().union(*map(_clue_words, texts))) for texts in batch["texts"].to_pylist()]
        counts[batch["number"].to_numpy() + 1] = list(map(len, words))
        stems.append(np.fromiter(chain.from_iterable(words), np.int32))
    return Rows(np.cumsum(counts), joined(stems, np.int32))


@lru_cache(maxsize=1 << 16)
def _clue_words(text: str) -> frozenset[int]:
    words = words_of(text[:_MOST_DESCRIPTION])[:_MOST_CLUES]
    return frozenset(map(stem_number, filter(_is_clue, words)))


def _is_clue(word: str) -> bool:
    # A year tells films of one name apart, though it names nothing.
    return not is_weak(word) or (len(word) == len("2001") and word.isdigit()) or word in ASKING_WORDS


def _pairs(batches: Iterable[pa.RecordBatch], n_entities: int) -> Rows:
    read = [(batch["number"].to_numpy(), batch["role"].to_numpy().astype(np.int16)) for batch in batches]
    return Rows.of(joined([a for a, _ in read], np.int32), joined([b for _, b in read], np.int16), n_entities)
