"""IMDb: who plays whom, from the non-commercial data sets (title.basics, title.principals, name.basics, …).

Licence: personal and non-commercial use only, not to be passed on; the pairs carry that. The files are tab-separated
without CSV quoting, and the characters of a credit are a JSON list full of quotes, so nothing may interpret them but
JSON. The files list only some of a title's cast.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa

from factmill.errors import ConfigError, SourceFormatError
from factmill.facts import Batch, IdSpace, Kind, SourceInfo
from factmill.rejects import Rejects
from factmill.warehouse import Warehouse

INFO = SourceInfo(name="imdb", licence="IMDb non-commercial", ids=IdSpace.TEXT, is_whole=True)
PREDICATE = "plays_character_in"

_COLUMNS = {
    "title.basics": ["tconst", "titleType", "primaryTitle", "originalTitle"],
    "title.principals": ["tconst", "ordering", "nconst", "category", "characters"],
    "name.basics": ["nconst", "primaryName"],
    "title.ratings": ["tconst", "numVotes"],
    "title.akas": ["titleId", "title", "region"],
}
_OPTIONAL = ("title.ratings", "title.akas")
FILES = tuple(f"{name}.tsv.gz" for name in _COLUMNS)
"""As IMDb names them."""


def find_files(folder: Path) -> dict[str, Path]:
    """Return the data-set files of a folder by name; those that may be missing may be missing."""
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder. Give the one that holds IMDb's title.basics.tsv.gz and so on.")
    found: dict[str, Path] = {}
    for name in _COLUMNS:
        candidates = [folder / f"{name}.tsv.gz", folder / f"{name}.tsv"]
        file = next((path for path in candidates if path.exists()), None)
        if file:
            found[name] = file
        elif name not in _OPTIONAL:
            raise ConfigError(f"{folder} lacks {name}.tsv.gz (or {name}.tsv). Fetch it from IMDb's data sets.")
    return found


class FolderReader:
    """Reads the files of one folder. Afterwards `lines` and `ignored` tell what else was there."""

    def __init__(self, files: dict[str, Path], rejects: Rejects, scratch: Path) -> None:
        self.lines = 0
        self.names = self.qualified_lines = 0
        self.ignored: Counter[str] = Counter()
        self.as_of: date | None = None
        self._files = files
        self._rejects = rejects
        self._scratch = scratch

    def __iter__(self) -> Iterator[Batch]:
        try:
            yield from self._batches()
        except duckdb.Error as error:
            raise _unreadable("one of IMDb's files", error) from error

    def _batches(self) -> Iterator[Batch]:
        with Warehouse(self._scratch) as warehouse:
            for name in _COLUMNS:
                self._open(warehouse, name)
            warehouse.run("imdb_credits")
            warehouse.run("imdb_about")
            self.lines = warehouse.count("title_principals")
            self._account(warehouse)
            facts = "from imdb_credits where ignored is null and refusal is null"
            for batch in warehouse.batches(f"select tconst, nconst, character, place {facts}"):
                yield Batch("facts", _facts(batch))
            for batch in warehouse.batches("from imdb_about"):
                yield Batch("about", _about(batch))

    def _open(self, warehouse: Warehouse, name: str) -> None:
        table, columns = name.replace(".", "_"), _COLUMNS[name]
        file = self._files.get(name)
        if file is None:
            warehouse.load(table, pa.table({column: pa.array([], pa.string()) for column in columns}))
            return
        try:
            found = warehouse.tsv_view(table, file)
        except (duckdb.Error, OSError, EOFError, ValueError) as error:
            raise _unreadable(str(file), error) from error
        if missing := [column for column in columns if column not in found]:
            raise SourceFormatError(
                f"{file} lacks the column {missing[0]}; its header is {', '.join(found)[:200]}."
                " Nothing was staged; is this IMDb's file?"
            )

    def _account(self, warehouse: Warehouse) -> None:
        """Count and keep what is no fact."""
        ignored = warehouse.query(
            "select ignored, count(*) as n from imdb_credits where ignored is not null group by all order by ignored"
        )
        self.ignored.update(dict(zip(ignored["ignored"].to_pylist(), ignored["n"].to_pylist(), strict=True)))
        refused = warehouse.query(
            "select refusal, character, place from imdb_credits where ignored is null and refusal is not null"
        )
        for row in refused.to_pylist():
            self._rejects.add(row["refusal"], row["character"] or "", row["place"])


def _unreadable(what: str, error: Exception) -> SourceFormatError:
    reason = str(error).strip().splitlines()[0]
    return SourceFormatError(f"{what} cannot be read: {reason[:300]}. Nothing was staged; fetch the files again.")


def _about(said: pa.RecordBatch) -> pa.RecordBatch:
    schema = INFO.ids.about_schema()
    return pa.RecordBatch.from_arrays([said[field.name].cast(field.type) for field in schema], schema=schema)


def _facts(played: pa.RecordBatch) -> pa.RecordBatch:
    """Turn credits into facts: title, plays_character_in, person, with the character as a qualifier."""
    schema = INFO.ids.fact_schema()
    n = played.num_rows
    qualifiers = [[{"name": "character", "object": None, "value": text}] for text in played["character"].to_pylist()]
    columns = {
        "predicate": pa.array([PREDICATE] * n),
        "subject": played["tconst"],
        "object": played["nconst"],
        "value": pa.nulls(n, pa.string()),
        "kind": pa.array([Kind.ENTITY.value] * n, schema.field("kind").type),
        "lang": pa.nulls(n, pa.string()),
        "qualifiers": pa.array(qualifiers, schema.field("qualifiers").type),
        "place": played["place"],
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)
