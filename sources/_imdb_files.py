"""IMDb's files: found in a folder, unpacked, and given to DuckDB one at a time.

A packed file is unpacked to the scratch folder first. That proves its checksum, which DuckDB does not look at, and
takes less time altogether, because DuckDB reads plain files with all cores and unpacks with one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from factmill.dumpfile import Window, read_chunks
from factmill.errors import ConfigError, SourceFormatError
from factmill.rejects import Rejects
from factmill.settings import settings
from factmill.warehouse import Warehouse

COLUMNS = {
    "title.ratings": ["tconst", "numVotes"],
    "title.basics": ["tconst", "titleType", "primaryTitle", "originalTitle", "startYear"],
    "title.akas": ["titleId", "title", "region"],
    "title.episode": ["tconst", "parentTconst", "seasonNumber"],
    "title.principals": ["tconst", "ordering", "nconst", "category", "characters"],
    "name.basics": ["nconst", "primaryName"],
}
_OPTIONAL = ("title.ratings", "title.akas", "title.episode")
_REASONS = {
    "MISSING COLUMNS": "the row has fewer columns than the header",
    "TOO MANY COLUMNS": "the row has more columns than the header",
    "INVALID ENCODING": "the row is not UTF-8",
    "LINE SIZE OVER MAXIMUM": "the row is longer than 2 MB",
}


def find_files(folder: Path) -> dict[str, Path]:
    """Return the data-set files of a folder by name; those that may be missing may be missing."""
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder. Give the one that holds IMDb's title.basics.tsv.gz and so on.")
    found: dict[str, Path] = {}
    for name in COLUMNS:
        candidates = [folder / f"{name}.tsv.gz", folder / f"{name}.tsv"]
        file = next((path for path in candidates if path.exists()), None)
        if file:
            found[name] = file
        elif name not in _OPTIONAL:
            raise ConfigError(f"{folder} lacks {name}.tsv.gz (or {name}.tsv). Fetch it with `factmill fetch imdb`.")
    return found


@contextmanager
def opened(warehouse: Warehouse, name: str, file: Path | None, rejects: Rejects, scratch: Path) -> Iterator[None]:
    """Make a file readable as a view while the block runs: title.basics as title_basics. None is an empty file.

    Rows that cannot be read are refused at the end of the block.
    """
    table, columns = name.replace(".", "_"), COLUMNS[name]
    if file is None:
        warehouse.load(table, pa.table({column: pa.array([], pa.string()) for column in columns}))
        yield
        return
    plain = _unpacked(file, scratch / f"{name}.tsv") if file.suffix == ".gz" else file
    try:
        found = warehouse.tsv_view(table, plain)
        _check_header(file, columns, found)
        yield
        for line, reason, text in warehouse.odd_rows(plain):
            rejects.add(_REASONS.get(reason, "the row cannot be read"), text or "", f"{name} line {line}")
    except (duckdb.InvalidInputException, duckdb.ConversionException, ValueError) as error:
        raise _unreadable(file, error) from error
    if plain != file:
        plain.unlink()


def _unpacked(file: Path, target: Path) -> Path:
    window = Window(0, file.stat().st_size)
    with target.open("wb") as plain:
        for chunk in read_chunks(file, window, settings().max_expansion):
            plain.write(chunk.data)
    return target


def _check_header(file: Path, columns: list[str], found: list[str]) -> None:
    if missing := [column for column in columns if column not in found]:
        raise SourceFormatError(
            f"{file} lacks the column {missing[0]}; its header is {', '.join(found)[:200]}."
            " Nothing was staged; is this IMDb's file?"
        )


def _unreadable(file: Path, error: Exception) -> SourceFormatError:
    reason = str(error).strip().splitlines()[0]
    if "invalid state" in reason:
        reason = "a line ends in another way than the first, or a carriage return stands inside a row"
    return SourceFormatError(f"{file} cannot be read: {reason[:300]}. Nothing was staged; fetch the file again.")
