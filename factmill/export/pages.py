"""Page ids of Wikipedia by title, from a file that the user gives: millions of titles, kept and looked up in DuckDB."""

import json
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyarrow as pa

from factmill.errors import ConfigError
from factmill.home import Home
from factmill.identity import file_digest
from factmill.lineblocks import read_lines
from factmill.settings import settings
from factmill.warehouse import Warehouse

_JSON_KEYS = (("wikipedia_title", "wikipedia_id"), ("title", "page_id"))
_LINES_A_BATCH = 100_000
_PAGES = pa.schema([("title", pa.string()), ("page_id", pa.string())])


class WikipediaPages:
    """The pages of a file; without a file there are none."""

    def __init__(self, warehouse: Warehouse | None, sha256: str | None) -> None:
        self._warehouse = warehouse
        self.sha256 = sha256

    def ids(self, titles: Iterable[str | None]) -> dict[str, str]:
        """Return the page ids of those titles that are known."""
        keys = {title: title_key(title) for title in titles if title}
        if self._warehouse is None or not keys:
            return {}
        self._warehouse.load("wanted_titles", pa.table({"title": pa.array(sorted(set(keys.values())), pa.string())}))
        self._warehouse.run("wanted_pages")
        found = dict(self._warehouse.rows("wanted_pages"))
        return {title: found[key] for title, key in keys.items() if key in found}


@contextmanager
def wikipedia_pages(file: Path | None, home: Home) -> Iterator[WikipediaPages]:
    """Read a file of titles with page ids: two columns of a TSV, or JSONL such as KILT's own pages."""
    if file is None:
        yield WikipediaPages(None, None)
        return
    sha256 = file_digest(file)
    with ExitStack() as stack:
        scratch = stack.enter_context(home.scratch())
        warehouse = stack.enter_context(Warehouse(scratch, megabytes=settings().memory_mb))
        warehouse.load("titled_pages", _PAGES.empty_table())
        for batch in _batches(file):
            warehouse.append("titled_pages", batch)
        warehouse.run("wikipedia_pages")
        warehouse.drop("titled_pages")
        for row in warehouse.query("from wikipedia_pages where n_ids > 1 order by title limit 1").to_pylist():
            raise ConfigError(f"{file}: the title {row['title']!r} has {row['n_ids']} page ids. Keep the right one.")
        yield WikipediaPages(warehouse, sha256)


def title_key(title: str) -> str:
    """Write a title as Wikipedia shows it: an underscore is a space, and the first letter a capital.

    >>> title_key("hello_(Adele_song)")
    'Hello (Adele song)'
    """
    shown = " ".join(unicodedata.normalize("NFC", title).replace("_", " ").split())
    return shown[:1].upper() + shown[1:]


def _batches(file: Path) -> Iterator[pa.RecordBatch]:
    titles: list[str] = []
    ids: list[str] = []
    for number, (line, _) in enumerate(read_lines(file), 1):
        title, page_id = _parse(line)
        if not title or not (page_id.isascii() and page_id.isdigit()):
            if number == 1 and title and b"\t" in line:
                continue  # a header
            raise ConfigError(
                f"{file}, line {number:,}: no title with a page id. Each line reads title, tab, number; or is JSON with"
                " wikipedia_title and wikipedia_id."
            )
        titles.append(title_key(title))
        ids.append(str(int(page_id)))
        if len(titles) == _LINES_A_BATCH:
            yield pa.RecordBatch.from_arrays([pa.array(titles), pa.array(ids)], schema=_PAGES)
            titles, ids = [], []
    yield pa.RecordBatch.from_arrays([pa.array(titles, pa.string()), pa.array(ids, pa.string())], schema=_PAGES)


def _parse(line: bytes) -> tuple[str, str]:
    """Return title and page id, empty where there are none."""
    try:
        text = line.decode("utf-8-sig")
        if not text.startswith("{"):
            title, _, page_id = text.rstrip("\r\n").partition("\t")
            return title.strip(), page_id.strip()
        row = json.loads(text)
        for title_name, id_name in _JSON_KEYS:
            if isinstance(row.get(title_name), str) and isinstance(row.get(id_name), str | int):
                return row[title_name].strip(), str(row[id_name])
    except (ValueError, RecursionError):
        pass
    return "", ""
