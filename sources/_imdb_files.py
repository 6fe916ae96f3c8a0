"""IMDb's files: found in a folder, unpacked, and given to DuckDB one at a time.

A packed file is unpacked to the scratch folder first, while DuckDB reads the one before. That proves its checksum,
which DuckDB does not look at, and takes less time altogether, because DuckDB reads plain files with all cores and
unpacks with one.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Self

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
_READ_BYTES = 1 << 20
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


def by_plain_name(file: Path, scratch: Path) -> Path:
    """Return a name of this file that DuckDB takes for this file alone: it reads `*`, `?` and `[` as patterns."""
    if not set("*?[") & set(str(file)):
        return file
    link = scratch / file.name
    link.symlink_to(file.absolute())
    return link


class Plain(NamedTuple):
    """A file that DuckDB can read, and how many rows stand below its header."""

    path: Path
    n_rows: int


class Unpacking:
    """Unpacks the files in their order, each while the one before is read."""

    def __init__(self, files: Mapping[str, Path], scratch: Path) -> None:
        self._files = files
        self._scratch = scratch
        self._names = iter(files)
        self._plain: dict[str, Future[Plain]] = {}
        self._pool = ThreadPoolExecutor(1)
        self._is_over = threading.Event()
        self._begin_next()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._pool.shutdown()

    def plain(self, name: str) -> Plain:
        """Wait for a file, which is the next one, and begin with the one after it."""
        plain = self._plain.pop(name).result()
        self._begin_next()
        return plain

    def _begin_next(self) -> None:
        if name := next(self._names, None):
            self._plain[name] = self._pool.submit(self._unpack, name)

    def _unpack(self, name: str) -> Plain:
        file, target = self._files[name], self._scratch / f"{name}.tsv"
        if file.suffix != ".gz":
            with file.open("rb") as opened:
                n_rows = self._count_rows(iter(partial(opened.read, _READ_BYTES), b""))
            return Plain(by_plain_name(file, self._scratch), n_rows)
        window = Window(0, file.stat().st_size)
        chunks = (chunk.data for chunk in read_chunks(file, window, settings().max_expansion))
        with target.open("wb") as plain:
            return Plain(target, self._count_rows(chunks, plain))

    def _count_rows(self, pieces: Iterable[bytes], copy: IO[bytes] | None = None) -> int:
        n_lines, end = 0, b"\n"
        for piece in pieces:
            if self._is_over.is_set():
                break
            if copy:
                copy.write(piece)
            n_lines, end = n_lines + piece.count(b"\n"), piece[-1:]
        return max(0, n_lines + (end != b"\n") - 1)


@contextmanager
def opened(warehouse: Warehouse, name: str, file: Path | None, unpacking: Unpacking, rejects: Rejects) -> Iterator[int]:
    """Make a file readable as a view while the block runs: title.basics as title_basics. None is an empty file.

    Gives the number of its rows. Those that cannot be read are refused at the end of the block.
    """
    table, columns = name.replace(".", "_"), COLUMNS[name]
    if file is None:
        warehouse.load(table, pa.table({column: pa.array([], pa.string()) for column in columns}))
        yield 0
        return
    plain = unpacking.plain(name)
    try:
        found = warehouse.tsv_view(table, plain.path)
        _check_header(file, columns, found)
        yield plain.n_rows
        for line, reason, text in warehouse.odd_rows(plain.path):
            rejects.add(_REASONS.get(reason, "the row cannot be read"), text or "", f"{name} line {line}")
    except (duckdb.InvalidInputException, duckdb.ConversionException, ValueError) as error:
        raise _unreadable(file, error) from error
    if plain.path != file:
        plain.path.unlink()


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
