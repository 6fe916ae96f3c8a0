"""A naive OFFSET pager and ours on the same Virtuoso, with the limits of DBpedia's public one: rows and time.

The naive pager is what most scripts do: ask for 10,000 rows at an offset, until a page is short. Sorted, which makes
the pages fit together, the server refuses it beyond 10,000 rows; unsorted, nothing promises that they do.
"""

import json
import os
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.dbpedia_graph import write_graph
from benchmarks.virtuoso import MAX_ROWS, is_installed, virtuoso_server
from sources._sparql import Endpoint
from sources._sparql_pages import Pages

_ROOT = Path(__file__).parent.parent
_FILMS = Path(os.environ.get("FACTMILL_SHARED", _ROOT.parent / "shared")) / "data" / "dbpedia" / "films_large.nt.gz"


def single(url: str, predicate: str) -> tuple[int, str]:
    """Ask once and believe the answer."""
    return _naive(url, f"SELECT ?key ?value WHERE {{ ?key <{predicate}> ?value }}")


def sorted_offsets(url: str, predicate: str) -> tuple[int, str]:
    """Page by offset in a stated order."""
    return _offsets(url, f"SELECT ?key ?value WHERE {{ ?key <{predicate}> ?value }} ORDER BY ?key ?value")


def unsorted_offsets(url: str, predicate: str) -> tuple[int, str]:
    """Page by offset in whatever order the server has."""
    return _offsets(url, f"SELECT ?key ?value WHERE {{ ?key <{predicate}> ?value }}")


def subselect_offsets(url: str, predicate: str) -> tuple[int, str]:
    """Page by offset over a sorted subselect, the known way around the sort limit."""
    inner = f"SELECT ?key ?value WHERE {{ ?key <{predicate}> ?value }} ORDER BY ?key ?value"
    return _offsets(url, f"SELECT ?key ?value WHERE {{ {{ {inner} }} }}")


def by_key(url: str, predicate: str) -> tuple[int, str]:
    """Page as factmill does."""
    with tempfile.TemporaryDirectory() as folder:
        rows = {row for page in Pages(Endpoint(url), Path(folder)).of(f"?key <{predicate}> ?value") for row in page}
    return len(rows), "as many as it counts"


def _offsets(url: str, query: str) -> tuple[int, str]:
    rows: set[str] = set()
    offset = 0
    while True:
        n_new, how = _naive(url, f"{query} LIMIT {MAX_ROWS} OFFSET {offset}", rows)
        offset += MAX_ROWS
        if n_new < MAX_ROWS:
            return len(rows), how


def _naive(url: str, query: str, rows: set[str] | None = None) -> tuple[int, str]:
    form = urlencode({"query": query, "format": "application/sparql-results+json"}).encode()
    try:
        with urllib.request.urlopen(url, form) as response:
            found = json.load(response)["results"]["bindings"]
    except urllib.error.HTTPError as error:
        with error:
            return 0, f"error {error.code}: {error.read(60).decode('utf-8', 'replace')}"
    if rows is not None:
        rows.update(json.dumps(row, sort_keys=True) for row in found)
    return len(found), "says it is done"


PAGERS: dict[str, Callable[[str, str], tuple[int, str]]] = {
    "one query": single,
    "OFFSET, sorted": sorted_offsets,
    "OFFSET, sorted subselect": subselect_offsets,
    "OFFSET, unsorted": unsorted_offsets,
    "factmill": by_key,
}


def main() -> None:
    """Run every pager and print what it gets."""
    if not is_installed():
        raise SystemExit("needs Virtuoso: apt-get install virtuoso-opensource-7-bin")
    with tempfile.TemporaryDirectory() as folder:
        file, predicate = _FILMS, "http://dbpedia.org/ontology/starring"
        if not file.exists():
            file, predicate = Path(folder) / "graph.nt", "http://dbpedia.org/ontology/artist"
            write_graph(file)
        with virtuoso_server([file]) as url:
            # Once unmeasured, so that nobody pays for what the server reads from disk.
            n_all, _ = by_key(url, predicate)
            results: dict[str, tuple[int, str, float]] = {}
            for name, pager in PAGERS.items():
                started = time.perf_counter()
                results[name] = (*pager(url, predicate), time.perf_counter() - started)
    ours = results["factmill"][2]
    print(f"{predicate}: {n_all:,} facts")
    for name, (n_rows, how, seconds) in results.items():
        print(
            f"{name:26} {n_rows:>7,} rows ({n_rows / n_all:4.0%}) {seconds:6.2f} s, {seconds / ours:4.2f} × ours; {how}"
        )


if __name__ == "__main__":
    main()
