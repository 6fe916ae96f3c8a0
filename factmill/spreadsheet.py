"""CSV files that people edit in a spreadsheet, and that are read back.

Written with a byte order mark, by which Excel knows UTF-8, and every cell in quotes. A cell that a spreadsheet would
take for a formula gets an apostrophe before it, and loses it when it is read. Read with comma, semicolon or tab between
cells, whatever the order of the columns.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from factmill.errors import ConfigError, SourceFormatError
from factmill.home import write_atomically

_MARK = "\ufeff"
_SEPARATORS = ",;\t"
_GUARD = "'"
_GUARDED = tuple("=+-@\t\r\n＝＋－＠" + _GUARD)


def write_sheet(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write rows below a line with the columns' names."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([harmless_cell(cell) for cell in row] for row in rows)
    # Halves of characters cannot be written.
    whole = text.getvalue().encode("utf-8", "replace").decode("utf-8")
    try:
        write_atomically(path, _MARK + whole)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}. Name another file.") from error


def read_sheet(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row that is not blank: its number in the spreadsheet, and its cells by column."""
    text = _text(path)
    separator = max(_SEPARATORS, key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        header = next(reader)
        places = _places(path, header, columns)
        for number, row in enumerate(reader, 2):
            if any(cell.strip() for cell in row):
                cells = _cells(path, number, row, header)
                yield number, {column: plain_cell(cells[place]) for column, place in places.items()}
    except csv.Error as error:
        raise SourceFormatError(f"{path}, line {reader.line_num:,}: no CSV ({error}). Save it as CSV again.") from error


def harmless_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    >>> harmless_cell("=1+1"), harmless_cell("'tis"), harmless_cell("1+1")
    ("'=1+1", "''tis", '1+1')
    """
    return f"{_GUARD}{text}" if text.startswith(_GUARDED) else text


def plain_cell(cell: str) -> str:
    """Return what was written into a cell.

    >>> plain_cell(harmless_cell("=1+1"))
    '=1+1'
    """
    return cell[1:] if cell.startswith(_GUARD) and cell[1:].startswith(_GUARDED) else cell


def _text(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8").removeprefix(_MARK)
    except OSError as error:
        raise SourceFormatError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SourceFormatError(f"{path} is not UTF-8. Save it as CSV in UTF-8 (in Excel: CSV UTF-8).") from error
    if not text.strip():
        raise SourceFormatError(f"{path} is empty.")
    return text


def _places(path: Path, names: Sequence[str], columns: Sequence[str]) -> dict[str, int]:
    found = [name.strip().casefold() for name in names]
    for column in columns:
        if found.count(column) != 1:
            what = "lacks the column" if column not in found else "has more than one column"
            raise SourceFormatError(
                f"{path} {what} {column!r}. The first line names the columns: {', '.join(columns)}."
            )
    return {column: found.index(column) for column in columns}


def _cells(path: Path, number: int, cells: Sequence[str], header: Sequence[str]) -> list[str]:
    """Return as many cells as there are columns: spreadsheets leave empty ones at the end of a row out, or add some."""
    if any(cell.strip() for cell in cells[len(header) :]):
        raise SourceFormatError(
            f"{path}, row {number:,}: {len(cells)} cells, but the first line names {len(header)} columns."
            " Save it as CSV again, with quotes around text."
        )
    return [*cells, *[""] * len(header)][: len(header)]
