"""DuckDB, and the statements in sql/ that run in it.

Values go in as parameters or as Arrow tables, never as text. The one thing that differs between sources, how ids are
written, is a pair of macros chosen by the stage's id space.
"""

import gzip
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import duckdb
import pyarrow as pa

from factmill.errors import ConfigError
from factmill.facts import IdSpace
from factmill.manifest import Stage
from factmill.pairs import PAIR_SCHEMA
from factmill.project import root
from factmill.settings import settings

_SECONDS_BETWEEN_LOOKS = 0.2
_MAX_HEADER_BYTES = 100_000

T = TypeVar("T")

_ID_MACROS = {
    IdSpace.WIKIDATA: """
        create or replace macro entity_text(id) as 'Q' || id;
        create or replace macro predicate_text(id) as 'P' || id;
        create or replace macro place_text(place) as place.member || '+' || place.offset;
    """,
    IdSpace.TEXT: """
        create or replace macro entity_text(id) as id;
        create or replace macro predicate_text(id) as id;
        create or replace macro place_text(place) as place;
    """,
}


class Warehouse:
    """One DuckDB connection in memory that spills to a scratch folder.

    `look` is called now and then while DuckDB works; if it raises something, the work is stopped.
    """

    def __init__(
        self,
        scratch: Path,
        *,
        megabytes: int | None = None,
        fixed_joins: bool = False,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Connect; with a limit of memory for large work, in which the order of rows is ours to state.

        With fixed joins the order of joins is, too.
        """
        config: dict[str, Any] = {"temp_directory": str(scratch), "threads": settings().n_threads}
        if megabytes is not None:
            # To keep the order of rows takes memory, and what needs one there says so.
            config |= {"memory_limit": f"{megabytes}MB", "preserve_insertion_order": False}
        if fixed_joins:
            # DuckDB cannot know how long a text file is: it takes it for the smaller side of a join, which there is
            # always the one written last.
            config["disabled_optimizers"] = "join_order,build_side_probe_side"
        self._connection = duckdb.connect(":memory:", config=config)
        self._look = look
        # It would be drawn on standard output, amid what a command prints for machines.
        self._connection.execute("set enable_progress_bar = false")
        # No data may decide what is loaded, fetched or run.
        self._connection.execute("set autoinstall_known_extensions = false")
        self._connection.execute("set autoload_known_extensions = false")
        self.run("qa_id")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def attach(self, stage: Stage, predicates: Sequence[int | str] | None = None) -> None:
        """Make the stage's `facts` and `entities` readable, or only the facts of some predicates."""
        self.use_ids(stage.manifest.ids)
        try:
            facts = self._connection.read_parquet(_parquet_files(stage.facts))
            if predicates is not None:
                wanted = map(duckdb.ConstantExpression, predicates)
                facts = facts.filter(duckdb.ColumnExpression("predicate").isin(*wanted))
            facts.create_view("facts", replace=True)
            self._connection.read_parquet(_parquet_files(stage.entities)).create_view("entities", replace=True)
        except duckdb.Error as error:
            raise ConfigError(f"{stage.folder} is damaged. Delete that folder and stage again.") from error

    def use_ids(self, ids: IdSpace) -> None:
        """Write ids as this id space does."""
        self._connection.execute(_ID_MACROS[ids])

    def view(self, name: str, *files: Path) -> None:
        """Give Parquet files a name."""
        self._connection.read_parquet([str(file) for file in files]).create_view(name, replace=True)

    def pairs_view(self, name: str, columns: Sequence[str], shards: Sequence[Sequence[Path]]) -> None:
        """Give columns of the corpus' files a name, with the place of their shard among these as `shard_number`.

        A column that older files lack is null there; a shard without files has no rows.
        """
        self.load(f"no_{name}", PAIR_SCHEMA.empty_table().select(columns))
        rows = self._connection.table(f"no_{name}")
        rows = rows.project(duckdb.ConstantExpression(0).alias("shard_number"), *map(duckdb.ColumnExpression, columns))
        for number, files in enumerate(shards):
            if not files:
                continue
            found = self._connection.read_parquet(
                [str(file) for file in files], union_by_name=True, hive_partitioning=False
            )
            there = set(found.columns)
            rows = rows.union(
                found.project(
                    duckdb.ConstantExpression(number).alias("shard_number"),
                    *(
                        duckdb.ColumnExpression(column)
                        if column in there
                        else duckdb.ConstantExpression(None).alias(column)
                        for column in columns
                    ),
                )
            )
        rows.create_view(name, replace=True)

    def rows_of_files(self, name: str, files: Sequence[str]) -> None:
        """Give the rows of Parquet files a name, with the column `filename`; what a file lacks is null there."""
        found = self._connection.read_parquet(list(files), filename=True, union_by_name=True, hive_partitioning=False)
        found.create_view(name, replace=True)

    def range_view(self, name: str, files: Sequence[Path], column: str, low: Any, high: Any) -> None:
        """Give the rows of Parquet files a name whose column is from `low` to below `high`; None is no bound."""
        rows = self._connection.read_parquet([str(file) for file in files])
        if low is not None:
            rows = rows.filter(duckdb.ColumnExpression(column) >= duckdb.ConstantExpression(low))
        if high is not None:
            rows = rows.filter(duckdb.ColumnExpression(column) < duckdb.ConstantExpression(high))
        rows.create_view(name, replace=True)

    def tsv_view(self, name: str, file: Path) -> list[str]:
        r"""Give a tab-separated file with a header a name; return its columns. All are text, `\N` is null.

        Quotes mean nothing in such a file: they are part of the text. Rows that are not as wide as the header, not
        UTF-8 or longer than two megabytes are left out; `odd_rows` tells them after a query.
        """
        with (gzip.open if file.suffix == ".gz" else open)(file, "rb") as opened:
            header = opened.readline(_MAX_HEADER_BYTES).decode("utf-8-sig").rstrip("\r\n").split("\t")
        if len(set(header)) < len(header):
            raise ValueError("its header names a column twice")
        # Without a sniffer: a single odd row must not change how all others are read.
        found = self._connection.read_csv(
            str(file),
            sep="\t",
            header=True,
            quotechar="",
            escapechar="",
            na_values="\\N",
            auto_detect=False,
            store_rejects=True,
            columns=dict.fromkeys(header, "VARCHAR"),
        )
        found.create_view(name, replace=True)
        return header

    def odd_rows(self, file: Path) -> list[tuple[int, str, str]]:
        """Return the rows of a tab-separated file that a query has left out: line, reason and text."""
        found = self._connection.execute(
            "select line, first(error_type order by column_idx)::varchar as reason, any_value(csv_line) as text"
            " from reject_errors join reject_scans using (scan_id, file_id) where file_path = ?"
            " group by line order by line",
            [str(file)],
        )
        return found.fetchall()

    def batches(self, sql: str, rows: int = 100_000) -> Iterator[pa.RecordBatch]:
        """Yield the result of a query in pieces."""
        # On a cursor, so that other statements can run while the batches are read.
        yield from self._connection.cursor().sql(sql).to_arrow_reader(rows)

    def sorted_batches(
        self, name: str, columns: Sequence[str], by: Sequence[str], rows: int
    ) -> Iterator[pa.RecordBatch]:
        """Yield columns of a table or view in pieces, sorted by others; nulls come last."""
        ordered = self._connection.cursor().view(_identifier(name)).sort(*map(duckdb.ColumnExpression, by))
        yield from ordered.select(*map(duckdb.ColumnExpression, columns)).to_arrow_reader(rows)

    def load(self, name: str, rows: pa.Table) -> None:
        """Copy an Arrow table into a table of this name, replacing it."""
        self._connection.register("_incoming", rows)
        self.execute(f"create or replace table {_identifier(name)} as from _incoming")
        self._connection.unregister("_incoming")

    def append(self, name: str, rows: pa.RecordBatch) -> None:
        """Copy an Arrow batch behind the rows of a table."""
        self._connection.register("_incoming", pa.Table.from_batches([rows]))
        self._connection.execute(f"insert into {_identifier(name)} from _incoming")
        self._connection.unregister("_incoming")

    def drop(self, *names: str) -> None:
        """Forget tables that nothing reads any more."""
        for name in names:
            self._connection.execute(f"drop table {_identifier(name)}")

    def number(self, sql: str) -> int:
        """Return the one whole number that a query written in the code gives."""
        ((n,),) = self._connection.execute(sql).fetchall()
        return int(n)

    def run(self, name: str, **parameters: Any) -> None:
        """Run `sql/<name>.sql`."""
        text = statement(name)
        try:
            self._interruptibly(lambda: self._connection.execute(text, parameters or None))
        except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException) as error:
            raise ConfigError(f"sql/{name}.sql: {str(error).strip().splitlines()[0]}") from error

    def query(self, sql: str) -> pa.Table:
        """Return the result of a query written in the code or in a file of sql/."""
        return self._interruptibly(lambda: self._connection.sql(sql).to_arrow_table())

    def execute(self, sql: str) -> None:
        """Run a statement written in the code."""
        self._interruptibly(lambda: self._connection.execute(sql))

    def rows(self, name: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small table in its stored order."""
        return self._connection.execute(f"from {_identifier(name)}").fetchall()

    def count(self, name: str) -> int:
        """Count the rows of a table."""
        return self.number(f"select count(*) from {_identifier(name)}")

    def copy_to_parquet(
        self, name: str, path: Path, predicate: str | None = None, compression: str = "zstd, compression_level 1"
    ) -> int:
        """Write a table or view, or its rows of one predicate, to a file in its order; return the number of rows."""
        target = str(path).replace("'", "''")
        only = f"where predicate = '{_identifier(predicate)}'" if predicate else ""
        form = f"(format parquet, compression {compression})"
        sql = f"copy (from {_identifier(name)} {only}) to '{target}' {form}"
        ((n,),) = self._interruptibly(lambda: self._connection.execute(sql).fetchall())
        return int(n)

    def copy_to_folders(self, name: str, folder: Path, by: str) -> None:
        """Write the rows of a table or view to a folder for each value of a column: `folder/<by>=<value>/`."""
        target = str(folder).replace("'", "''")
        form = f"(format parquet, compression snappy, partition_by ({_identifier(by)}))"
        self.execute(f"copy (from {_identifier(name)}) to '{target}' {form}")

    def _interruptibly(self, work: Callable[[], T]) -> T:
        """Do the work so that Ctrl-C stops it.

        DuckDB looks for signals itself, but now and then misses one and works on. So it works in a thread of its own,
        and this one waits and tells it to stop.
        """
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(work)
            try:
                while not wait([future], timeout=_SECONDS_BETWEEN_LOOKS).done:
                    self._look()
            except BaseException:
                while not wait([future], timeout=_SECONDS_BETWEEN_LOOKS).done:
                    self._connection.interrupt()
                raise
            return future.result()


def _parquet_files(folder: Path) -> list[str]:
    return [str(file) for file in sorted(folder.glob("*.parquet"))]


def statement(name: str) -> str:
    """Return the text of `sql/<name>.sql`."""
    path = root() / "sql" / f"{name}.sql"
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}. Install factmill again.") from error


def check_names() -> list[str]:
    """Name the checks in sql/checks/, as `statement` takes them."""
    return sorted(f"checks/{path.stem}" for path in (root() / "sql" / "checks").glob("*.sql"))


def _identifier(name: str) -> str:
    if not name.replace("_", "").isalnum():
        raise ValueError(f"{name!r} is not the name of a table")
    return name
