"""The table of names: from a hash of a name to the entities that are called so, the best known first.

Names themselves are not kept: five million take 2.5 GB in pyahocorasick, the smallest of the automata tried, and less
than a tenth of that here. A chance that a piece of a question has the hash of another name is there, once in some
billions of questions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.linking.hashes import Hashes, hashes
from factmill.linking.words import MAX_NAME_CHARACTERS, is_weak, words_of

Places = npt.NDArray[np.int64]
Entities = npt.NDArray[np.int32]
Flags = npt.NDArray[np.uint8]

IS_COMMON, IS_ALIAS, IS_SHORTENED, IS_ACRONYM = 1, 2, 4, 8
"""Flags of a name: without a capital, as "profession"; no label; without its leading article or what stands in
brackets; capitals only."""
MOST_OF_A_NAME = 64
"""Entities of one name that are compared, the best known ones."""

_ARTICLES = ("the", "a", "an")
_LONGEST_ACRONYM = 5


@dataclass(frozen=True)
class Names:
    """Hashes of names in order, and for each the entities from `bounds[i]` to before `bounds[i + 1]`."""

    keys: Hashes
    bounds: Places
    entities: Entities
    flags: Flags

    def find(self, wanted: Hashes) -> Places:
        """Return the place of each hash among the keys, -1 for one that is none."""
        if not len(self.keys):
            return np.full(len(wanted), -1)
        places = np.searchsorted(self.keys, wanted)
        places[places == len(self.keys)] = 0
        return np.where(self.keys[places] == wanted, places, -1)


def table_of(names: Iterable[pa.RecordBatch], popularity: npt.NDArray[np.int64]) -> Names:
    """Build the table from batches of number, name and is_label."""
    parts = list(map(_hashed, names))
    keys, entities, flags = (
        np.concatenate([part[column] for part in parts] or [np.empty(0, kind)])
        for column, kind in enumerate((np.uint64, np.int32, np.uint8))
    )
    del parts
    # Of several ways to the same name the plainest counts: flags are smaller then.
    order = np.lexsort((flags, entities, -popularity[entities], keys))
    keys, entities, flags = keys[order], entities[order], flags[order]
    del order
    is_first = np.ones(len(keys), bool)
    is_first[1:] = (keys[1:] != keys[:-1]) | (entities[1:] != entities[:-1])
    keys, entities, flags = keys[is_first], entities[is_first], flags[is_first]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.empty(0, np.int64)
    return Names(keys[starts], np.append(starts, len(keys)), entities, flags)


def _hashed(batch: pa.RecordBatch) -> tuple[Hashes, Entities, Flags]:
    """Return hash, entity and flags of each form of each name."""
    texts: list[str] = []
    numbers: list[int] = []
    flags: list[int] = []
    columns = (batch[name].to_pylist() for name in ("number", "name", "is_label"))
    for number, name, is_label in zip(*columns, strict=True):
        for form, flag in _forms(name):
            texts.append(form)
            numbers.append(number)
            flags.append(flag | (0 if is_label else IS_ALIAS))
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    ends = np.cumsum(lengths)
    return hashes("".join(texts), ends - lengths, ends), np.array(numbers, np.int32), np.array(flags, np.uint8)


def _forms(name: str) -> Iterator[tuple[str, int]]:
    """Yield the forms in which a name may stand in a question, in the words of the linker.

    >>> list(_forms("The Beatles")), list(_forms("Hello (Adele song)")), list(_forms("IT")), list(_forms("?"))
    ([('the beatles', 0), ('beatles', 4)], [('hello adele song', 0), ('hello', 4)], [('it', 8)], [])
    """
    if len(name) > MAX_NAME_CHARACTERS:
        return
    words = words_of(name)
    if not words:
        return
    is_acronym = name.isupper() and len(name) <= _LONGEST_ACRONYM
    case = IS_COMMON if name.islower() else IS_ACRONYM if is_acronym else 0
    yield " ".join(words), case
    plain, bracket, _ = name.partition(" (")
    shorter = words_of(plain) if bracket else words
    if shorter and shorter[0] in _ARTICLES and not all(map(is_weak, shorter[1:])):
        shorter = shorter[1:]
    if shorter and shorter != words:
        yield " ".join(shorter), case | IS_SHORTENED
