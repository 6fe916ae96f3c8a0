"""The forms that a kind of file is known to have: which one a file has, and what to say where it has none."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

from factmill.errors import SourceFormatError
from factmill.records import Record, RecordFault

Shape = TypeVar("Shape", bound=StrEnum)
Parsed = TypeVar("Parsed")


@dataclass(frozen=True)
class KnownShapes(Generic[Shape]):
    """What a record of each form looks like, and the keys that tell which one it is, the first match first."""

    kind: str
    examples: Mapping[Shape, str]
    keys: Sequence[tuple[Shape, Set[str]]]

    def read(
        self, path: Path, records: Iterable[Record], parse: Callable[[object, Shape], Parsed]
    ) -> tuple[Shape, list[Parsed]]:
        """Read all records of a file in the form of its first one; the first fault is an error."""
        shape: Shape | None = None
        parsed: list[Parsed] = []
        for record in records:
            try:
                shape = shape or self._shape_of(record.value)
                parsed.append(parse(record.value, shape))
            except RecordFault as fault:
                raise self.refused(path, record.place, str(fault), shape) from fault
        if shape is None:
            raise SourceFormatError(f"{path} holds no {self.kind}.")
        return shape, parsed

    def refused(self, path: Path, place: str, fault: str, shape: Shape | None) -> SourceFormatError:
        """Return the error that names the place, the fault and the forms that are known."""
        read_as = f" The file is read as {shape}: {self.examples[shape]}." if shape else ""
        known = "; ".join(f"{one}: {example}" for one, example in self.examples.items())
        return SourceFormatError(f"{path}, {place}: {fault}.{read_as} Known are {known}.")

    def _shape_of(self, row: object) -> Shape:
        if not isinstance(row, dict):
            raise RecordFault(f"no JSON object, so no {self.kind} of a known form")
        for shape, keys in self.keys:
            if keys <= row.keys():
                return shape
        seen = ", ".join(map(repr, sorted(row)[:8])) or "none"
        raise RecordFault(f"no {self.kind} of a known form, by the keys: {seen}")
