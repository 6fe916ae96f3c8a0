"""Files of records, whatever holds them: JSON lines, a JSON array, TriviaQA's object, or lines of text; packed or not.

A record comes with the place that a message names: "line 3" of lines, "entry 3" of an array. Whatever cannot be read is
an error, because a record that is left out would shift the ones behind it.
"""

import codecs
import re
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path
from typing import Any, NamedTuple

from factmill.dumpfile import Window, read_chunks
from factmill.errors import SourceFormatError
from factmill.importing import read_json
from factmill.json_arrays import ArrayReader, begins_array
from factmill.lineblocks import read_lines
from factmill.settings import settings

_BEGINNING_BYTES = 4096
_JSON_OBJECT = re.compile(r"\s*\{\s*[\"}]")
_BYTE_ORDER_MARK = "\ufeff"


class Record(NamedTuple):
    """One record and where it stands."""

    place: str
    value: Any


class RecordFault(Exception):
    """What is wrong with a record; whoever knows where it stands says so."""


class Container(Enum):
    """What holds the records of a file."""

    JSON_LINES = auto()
    JSON_ARRAY = auto()
    TEXT = auto()

    @classmethod
    def of(cls, path: Path) -> "Container":
        """Tell by the beginning of a file."""
        chunks = read_chunks(path, Window(0, path.stat().st_size), settings().max_expansion)
        beginning = next((chunk.data for chunk in chunks), b"")[:_BEGINNING_BYTES]
        text = beginning.decode("utf-8", "ignore").removeprefix(_BYTE_ORDER_MARK)
        if begins_array(text):
            return cls.JSON_ARRAY
        return cls.JSON_LINES if _JSON_OBJECT.match(text) else cls.TEXT


def json_records(path: Path, container: Container) -> Iterator[Record]:
    """Yield the records of a file of JSON."""
    return _array_records(path) if container is Container.JSON_ARRAY else _line_records(path)


def text_lines(path: Path) -> Iterator[Record]:
    """Yield the lines of a file, without their line ends."""
    for number, (line, _) in enumerate(read_lines(path), 1):
        place = f"line {number:,}"
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise SourceFormatError(f"{path}, {place}: not UTF-8 ({error.reason}). Save the file as UTF-8.") from error
        yield Record(place, text.removeprefix(_BYTE_ORDER_MARK) if number == 1 else text)


def _line_records(path: Path) -> Iterator[Record]:
    for number, (line, _) in enumerate(read_lines(path), 1):
        place = f"line {number:,}"
        try:
            value = read_json(line)
        except (ValueError, RecursionError) as error:
            seen = "not JSON" if line.strip() else "an empty line, not JSON"
            raise SourceFormatError(f"{path}, {place}: {seen}. Each line must be one JSON object.") from error
        yield Record(place, value)


def _array_records(path: Path) -> Iterator[Record]:
    reader = ArrayReader(_pieces(path))
    try:
        for value in reader.entries():
            yield Record(f"entry {reader.n_read + 1:,}", value)
    except (ValueError, RecursionError) as error:
        raise SourceFormatError(
            f"{path}, entry {reader.n_read + 1:,}: no JSON in UTF-8, or cut off. Fetch or write the file again."
        ) from error


def _pieces(path: Path) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    for chunk in read_chunks(path, Window(0, path.stat().st_size), settings().max_expansion):
        yield decoder.decode(chunk.data)
    yield decoder.decode(b"", final=True)
