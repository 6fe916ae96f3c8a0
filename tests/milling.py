"""Milling lines of a dump with a template that is made up on the spot."""

import gzip
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from factmill.home import Home
from factmill.mill import Milled, mill
from factmill.names import PropertyId
from factmill.rejects import Rejects
from factmill.stage import stage_wikidata
from factmill.templates import read_template
from tests.dumps import ENTITY, write_dump

Mill = Callable[..., tuple[Milled, dict[str, int]]]


@pytest.fixture
def milled(home: Home, tmp_path: Path) -> Mill:
    """Stage lines, with statements in a second file if there are any, and mill them with wordings."""
    numbers = count()

    def run(
        lines: list[str],
        *wordings: str,
        predicate: str = "P175",
        extra: str = "",
        statements: Sequence[str] = (),
    ) -> tuple[Milled, dict[str, int]]:
        dump = write_dump(tmp_path / "d.nt.gz", lines, members=1)
        second = None
        if statements:
            second = tmp_path / "full.nt.gz"
            second.write_bytes(gzip.compress("".join(f"{line}\n" for line in statements).encode(), mtime=0))
        qualified = [PropertyId.parse(predicate.partition("~")[0])] if statements else []
        stage = stage_wikidata(home, dump, "en", second=second, qualified=qualified).stage
        file = tmp_path / f"{predicate}_t.j2"
        matter = f'predicate = "wikidata/{predicate}"\nlabel = "x"\n{extra}'
        file.write_text(f"+++\n{matter}\n+++\n" + "\n".join(wordings or ("who sings {{ subject }}",)))
        with home.scratch() as scratch, Rejects.of_run(home, "test") as rejects:
            result = mill(stage, read_template(file), rejects, scratch)
            # The scratch folder goes.
            kept = tmp_path / f"pairs-{next(numbers)}.parquet"
            shutil.copy(result.file, kept)
            assert result.rows.table().num_rows == result.n_pairs
            return replace(result, file=kept), dict(rejects.counts)

    return run


def answers(result: Milled) -> dict[str, list[str]]:
    return {row["question"]: row["answer"] for row in result.rows.table().to_pylist()}


def statement(key: str, predicate: str, item: str, *qualifiers: str) -> list[str]:
    """Return the lines of a statement of the best rank; a qualifier is written as its property and its value."""
    prop = "http://www.wikidata.org/prop"
    iri = f"<{ENTITY}statement/{key}>"
    return [
        f"<{ENTITY}{key.split('-')[0]}> <{prop}/{predicate}> {iri} .",
        f"{iri} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://wikiba.se/ontology#BestRank> .",
        f"{iri} <{prop}/statement/{predicate}> <{ENTITY}{item}> .",
        *(f"{iri} <{prop}/qualifier/{qualifier} ." for qualifier in qualifiers),
    ]
