"""The table of facts of a source that may say a thing twice: each fact once, in an order of their own.

Files overlap, and two raw values may turn out to be the same. A dump of Wikidata does neither; its parts stay as they
are.
"""

import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from factmill.facts import IdSpace
from factmill.parts import PartsFolder
from factmill.warehouse import Warehouse


class FactTable(NamedTuple):
    """What is in the table, and a file that says how often each entity occurs in it."""

    n_by_kind: Counter[str]
    predicates: frozenset[str]
    occurrences: Path


def write_facts(parts: PartsFolder, ids: IdSpace, scratch: Path) -> FactTable:
    """Put the facts of all parts into one file, in place of theirs."""
    raw, path, occurrences = parts.files("facts"), scratch / "facts.parquet", scratch / "occurrences.parquet"
    with Warehouse(scratch) as warehouse:
        warehouse.use_ids(ids)
        warehouse.view("raw_facts", *raw)
        warehouse.run("staged_facts")
        warehouse.copy_to_parquet("staged_facts", path)
        warehouse.view("facts", path)
        warehouse.run("occurrences")
        warehouse.copy_to_parquet("occurrences", occurrences)
        counts = warehouse.query("select predicate, kind, count(*) as n from facts group by all").to_pylist()
    parts.forget()
    for file in raw[1:]:
        file.unlink()
    os.replace(path, raw[0])
    n_by_kind: Counter[str] = Counter()
    for row in counts:
        n_by_kind[row["kind"]] += row["n"]
    return FactTable(n_by_kind, frozenset(row["predicate"] for row in counts), occurrences)
