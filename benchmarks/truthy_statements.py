"""Direct statements over 2,000 properties, each of which takes one kind of value.

A property's frequency falls as 1 / rank. Kinds are dealt out along the ranks, so that the shares in KIND_SHARES are
shares of the statements, not of the properties. Neighbours that came in one batch share many of their properties.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.truthy_values import ENTITY, WRITERS, Ints

SUBJECT = "\x00"
N_PROPERTIES = 2_000
DIRECT = "http://www.wikidata.org/prop/direct/"
NORMALIZED = "http://www.wikidata.org/prop/direct-normalized/"

KIND_SHARES = {
    "item": 0.51,
    "identifier": 0.325,
    "date": 0.06,
    "quantity": 0.035,
    "text": 0.025,
    "file": 0.015,
    "coordinate": 0.015,
    "url": 0.0125,
    "property": 0.001,
    "lexeme": 0.0005,
    "formula": 0.001,
}
# The head in about its real order; further properties follow with made-up numbers.
_HEAD = {
    "item": "31 17 131 21 106 50 1433 407 27 735 279 361 105 171 495 136 19 69 20 57 161 166 39 108 159 59 921 734",
    "identifier": "698 356 214 646 213 227 244 2671 345 846 830 932",
    "date": "577 569 570 571",
    "quantity": "1082 2048 1215",
    "text": "1476 1705 1559",
    "file": "18",
    "coordinate": "625",
    "url": "856 973",
    "property": "1687",
    "lexeme": "9970",
    "formula": "2534",
}
_SHARED_IN_BATCH = 0.9
_NORMALIZED_BASES = {
    214: "http://viaf.org/viaf/",
    646: "http://g.co/kg",
    227: "https://d-nb.info/gnd/",
    244: "http://id.loc.gov/authorities/names/",
}


class Properties(NamedTuple):
    """The properties in falling frequency: parallel columns, and the running sum of their frequencies."""

    ids: list[int]
    kinds: list[str]
    cumulative: npt.NDArray[np.float64]


class Statements(NamedTuple):
    """The statements of a row of entities: lines[bounds[n] : bounds[n + 1]] are those of entity n."""

    lines: list[str]
    bounds: list[int]
    n_identifiers: list[int]


@cache
def properties() -> Properties:
    """Return the 2,000 properties, P31 first."""
    weights = 1 / (np.arange(N_PROPERTIES) + 2) ** 0.95
    weights /= weights.sum()
    left = dict(KIND_SHARES)
    heads = {kind: [int(number) for number in numbers.split()] for kind, numbers in _HEAD.items()}
    named = {number for numbers in heads.values() for number in numbers}
    made_up = iter(
        [n for n in np.random.default_rng(7).permutation(np.arange(2_000, 13_000)).tolist() if n not in named]
    )
    ids: list[int] = []
    kinds: list[str] = []
    for weight in weights.tolist():
        kind = max(left, key=left.__getitem__) if ids else "item"
        left[kind] -= weight
        kinds.append(kind)
        ids.append(heads[kind].pop(0) if heads[kind] else next(made_up))
    return Properties(ids, kinds, np.cumsum(weights))


def draw_statements(chance: np.random.Generator, n_wanted: Ints, batches: Ints, classes: Ints) -> Statements:
    """Return about so many statements for each entity; `classes` are the items that their first P31 names."""
    entities, ranks = _drawn_properties(chance, n_wanted, batches)
    values = np.empty(len(ranks), dtype=object)
    numbers = np.array(properties().ids)
    for kind, write in WRITERS.items():
        places = np.flatnonzero(_is_kind(kind)[ranks])
        values[places] = write(chance, numbers[ranks[places]])
    firsts = np.flatnonzero((ranks == 0) & (np.diff(entities, prepend=-1) > 0))
    values[firsts] = [f"<{ENTITY}Q{number}>" for number in classes[entities[firsts]].tolist()]
    _put_unknown_values(chance, values)
    n_identifiers = np.bincount(entities[_is_kind("identifier")[ranks]], minlength=len(n_wanted))
    bounds = np.searchsorted(entities, np.arange(len(n_wanted) + 1))
    return Statements(_lines(ranks, values), bounds.tolist(), n_identifiers.tolist())


@cache
def _is_kind(kind: str) -> npt.NDArray[np.bool_]:
    return np.array([name == kind for name in properties().kinds])


def _drawn_properties(chance: np.random.Generator, n_wanted: Ints, batches: Ints) -> tuple[Ints, Ints]:
    """Return the entity and the property rank of each statement, sorted; an entity may repeat a property."""
    n = len(n_wanted)
    entities = np.repeat(np.arange(n), n_wanted)
    turns = np.arange(len(entities)) - np.repeat(np.cumsum(n_wanted) - n_wanted, n_wanted)
    of_batch = chance.random((int(batches.max()) + 1, int(n_wanted.max()) + 1))[batches[entities], turns]
    shared = chance.random(len(entities)) < _SHARED_IN_BATCH
    drawn = np.where(shared, of_batch, chance.random(len(entities)))
    ranks = np.minimum(np.searchsorted(properties().cumulative, drawn), N_PROPERTIES - 1)
    with_class = np.flatnonzero(chance.random(n) < 0.97)
    keys = np.unique(np.concatenate([entities * N_PROPERTIES + ranks, with_class * N_PROPERTIES]))
    n_values = np.where(chance.random(len(keys)) < 0.9, 1, chance.integers(2, 5, len(keys)))
    several = np.repeat(keys, n_values)
    return several // N_PROPERTIES, several % N_PROPERTIES


def _lines(ranks: Ints, values: npt.NDArray[np.object_]) -> list[str]:
    starts, normalized = _line_starts()
    return [
        f"{starts[rank]}{value} .\n{normalized[rank]}{value[1:-1]}> .\n"
        if normalized[rank] and value[0] == '"'
        else f"{starts[rank]}{value} .\n"
        for rank, value in zip(ranks.tolist(), values.tolist(), strict=True)
    ]


@cache
def _line_starts() -> tuple[list[str], list[str]]:
    """Return how the direct line of each property starts, and its normalized one where it has any."""
    numbers, kinds, _ = properties()
    bases = dict(_NORMALIZED_BASES)
    for number, kind in zip(numbers, kinds, strict=True):
        if kind == "identifier" and number % 4 == 1:
            bases.setdefault(number, f"https://data.source{number}.org/id/")
    starts = [f"{SUBJECT} <{DIRECT}P{number}> " for number in numbers]
    return starts, [f"{SUBJECT} <{NORMALIZED}P{n}> <{bases[n]}" if n in bases else "" for n in numbers]


def _put_unknown_values(chance: np.random.Generator, values: npt.NDArray[np.object_]) -> None:
    for place in np.flatnonzero(chance.random(len(values)) < 1 / 400).tolist():
        values[place] = f"<http://www.wikidata.org/.well-known/genid/{chance.bytes(16).hex()}>"
    for place in np.flatnonzero(chance.random(len(values)) < 1 / 20_000).tolist():
        values[place] = f"_:{chance.bytes(16).hex()}"
