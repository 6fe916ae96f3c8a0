"""Entities are put together by ranges of ids; how many there are and where they are cut changes nothing."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmill import entities
from factmill.entities import RowGroups
from factmill.facts import IdSpace, Role
from factmill.parts import number_rows

IDS = st.one_of(st.integers(1, 50), st.integers(1, 200_000_000), st.just(999_999_999_999))


def _write(path: Path, ids: list[int], group_rows: int) -> Path:
    rows = number_rows(pa.array(ids, pa.int64()), Role.POINTERS, pa.array([1] * len(ids)), IdSpace.WIKIDATA)
    pq.write_table(pa.Table.from_batches([rows]), path, row_group_size=group_rows)
    return path


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(IDS, min_size=1, max_size=30, unique=True).map(sorted), min_size=1, max_size=8),
    st.integers(1, 9),
    st.integers(1, 60),
)
def test_ranges_hold_every_row_once(tmp_path: Path, files: list[list[int]], group_rows: int, n_rows: int) -> None:
    paths = [_write(tmp_path / f"{number}.parquet", ids, group_rows) for number, ids in enumerate(files)]
    row_groups = RowGroups(paths)
    bounds = row_groups.bounds(n_rows)
    found: list[int] = []
    for low, high in bounds:
        ids = row_groups.read(low, high, ["id", "number"])["id"].to_pylist()
        assert all(low <= number < high for number in ids)
        having = {path for path, rows in zip(paths, files, strict=True) if any(low <= each < high for each in rows)}
        assert having <= set(row_groups.files(low, high))
        found += ids
    assert sorted(found) == sorted(number for ids in files for number in ids)


def test_ranges_are_of_about_the_size_that_was_asked_for(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    spread = [np.unique(chance.integers(1, 100_000_000, 20_000)).tolist() for _ in range(5)]
    near = [np.unique(chance.integers(n * 10**6, n * 10**6 + 9_000, 5_000)).tolist() for n in range(20)]
    files = [_write(tmp_path / f"{number}.parquet", ids, 1_000) for number, ids in enumerate([*spread, *near])]
    row_groups = RowGroups(files)
    sizes = [row_groups.read(low, high, ["id"]).num_rows for low, high in row_groups.bounds(10_000)]
    assert len(sizes) in (16, 17, 18)
    assert max(sizes) < 15_000


def test_a_file_of_few_ids_is_only_in_the_ranges_of_its_groups(tmp_path: Path) -> None:
    near = [_write(tmp_path / f"{n}.parquet", list(range(n * 1_000, n * 1_000 + 1_000)), 100) for n in range(50)]
    outlier = _write(tmp_path / "outlier.parquet", [*range(100, 200), 49_999], 100)
    row_groups = RowGroups([*near, outlier])
    touched = [row_groups.files(low, high) for low, high in row_groups.bounds(1_000)]
    assert max(map(len, touched)) <= 4
    assert sum(outlier in files for files in touched) <= 3


@pytest.mark.parametrize("range_rows", [1, 7, 1_000])
def test_any_ranges_give_the_same_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, range_rows: int) -> None:
    chance = np.random.default_rng(1)
    pointers = [_write(tmp_path / f"p{n}.parquet", np.unique(chance.integers(1, 90, 40)).tolist(), 9) for n in range(6)]
    about = [_write(tmp_path / "a0.parquet", [3, 5, 1_000], 2)]
    expected: dict[int, int] = {}
    for file in [*pointers, *about]:
        for number in pq.read_table(file)["id"].to_pylist():
            expected[number] = expected.get(number, 0) + 1
    monkeypatch.setattr(entities, "_RANGE_ROWS", range_rows)
    monkeypatch.setattr(entities, "_POINTER_RANGE_ROWS", 2 * range_rows)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    n_entities = entities.write_entities(about, pointers, tmp_path / "entities", IdSpace.WIKIDATA, scratch)
    rows = pq.read_table(tmp_path / "entities", columns=["id", "in_degree"]).to_pylist()
    assert [(row["id"], row["in_degree"]) for row in rows] == sorted(expected.items())
    assert n_entities == len(expected)
