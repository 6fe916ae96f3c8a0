"""Finding pairs in a version of the corpus by id, by the beginning of an id or by question.

DuckDB reads the files of the version: statistics of the rows, which are sorted by `qa_id`, leave most of them unread,
and of what is left it looks at the ids before anything else. An Arrow dataset would read all columns of a row group.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa

from factmill.corpus_version import CorpusVersion
from factmill.errors import CorpusError
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA
from factmill.paq_form import paq_form
from factmill.warehouse import Warehouse

ID_LENGTH = 32
MOST_FOUND = 20
_ID = re.compile(r"[0-9a-f]{1,32}")

Row = dict[str, Any]


class Lookup:
    """Looks for rows in one version of the corpus, or in one shard of it. Each has `shard`, its name."""

    def __init__(self, scratch: Path, version: CorpusVersion, shard: ShardName | None = None) -> None:
        self._shards = {str(path): name for path, name in version.all_files().items() if shard in (None, name)}
        self._warehouse = Warehouse(scratch)
        if self._shards:
            with _readable():
                self._warehouse.rows_of_files("corpus_rows", list(self._shards))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._warehouse.__exit__(kind, error, trace)

    def by_ids(self, qa_ids: Iterable[str]) -> dict[str, Row]:
        """Return the rows with these ids, by id."""
        self._want(qa_ids)
        return {row["qa_id"]: row for row in self._run("pairs_with_ids")}

    def by_text(self, text: str) -> list[Row]:
        """Return what somebody means with an id, its beginning or a question: the first twenty pairs by id."""
        asked = text.strip()
        low = asked.lower()
        # The letter behind "f" is above all that goes on with a digit of an id.
        is_id = _ID.fullmatch(low) is not None
        if is_id and (found := self._run("pairs_between", low=low, high=f"{low}g", most=MOST_FOUND)):
            return found
        self._want([asked, paq_form(asked)])
        return self._run("pairs_that_ask", most=MOST_FOUND)

    def _want(self, texts: Iterable[str]) -> None:
        # Halves of characters, which a command line can hold, are in no pair.
        valid = [text for text in texts if not any("\ud800" <= character <= "\udfff" for character in text)]
        self._warehouse.load("wanted", pa.table({"text": pa.array(valid, pa.string())}))

    def _run(self, table: str, **parameters: Any) -> list[Row]:
        if not self._shards:
            return []
        with _readable():
            self._warehouse.run(table, **parameters)
            rows: list[Row] = self._warehouse.query(f"from {table}").to_pylist()
        return [self._whole(row, row.pop("filename")) for row in rows]

    def _whole(self, row: Row, file: str) -> Row:
        """Add the columns that are in the file's path, and those that an old version lacks."""
        shard = self._shards[file]
        return dict.fromkeys(PAIR_SCHEMA.names) | row | {"source": shard.source, "predicate": shard.key, "shard": shard}


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise CorpusError(f"cannot look for pairs in the corpus: {str(error).splitlines()[0]}") from None
