import gzip
import json
from pathlib import Path

import pytest

from factmill.corpus import Corpus
from factmill.errors import ConfigError
from factmill.export import export_paq
from factmill.home import Home
from factmill.importing import import_base
from factmill.names import ShardName
from factmill.questions import read_questions
from factmill.stage import stage_imdb
from factmill.steps import augment, resolve_template
from tests.conftest import ROOT

PLAYS = ShardName("imdb", "plays_character_in")
BASE = ShardName("paq", "base")


@pytest.fixture
def filled(home: Home, tmp_path: Path) -> Home:
    base = tmp_path / "base.jsonl"
    base.write_text('{"question": "zebra", "answer": ["z"]}\n{"question": "ärger", "answer": ["a", "b"]}\n')
    import_base(home, base, BASE, None)
    stage_imdb(home, ROOT / "demo" / "imdb", "en")
    augment(home, resolve_template(PLAYS, None))
    return home


def _read(path: Path) -> list[dict[str, object]]:
    packed = path.read_bytes()
    text = gzip.decompress(packed) if path.suffix == ".gz" else packed
    return [json.loads(line) for line in text.splitlines()]


def test_pairs_that_may_not_be_passed_on_are_left_out(filled: Home, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    n_imdb = Corpus(filled).latest().rows(PLAYS).num_rows
    exported = export_paq(filled, out)
    assert (exported.n_pairs, exported.left_out) == (2, {"imdb/plays_character_in": n_imdb})
    rows = _read(out)
    assert [(row["question"], row["answer"], row["shard"]) for row in rows] == [
        ("zebra", ["z"], "paq/base"),
        ("ärger", ["a", "b"], "paq/base"),
    ]
    assert read_questions(out).questions == ("zebra", "ärger")


def test_all_pairs_are_exported_for_ones_own_use(filled: Home, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl.gz"
    n_imdb = Corpus(filled).latest().rows(PLAYS).num_rows
    exported = export_paq(filled, out, include_noncommercial=True)
    assert (exported.n_pairs, exported.left_out) == (n_imdb + 2, {})
    assert {row["licence"] for row in _read(out)} == {None, "IMDb non-commercial"}


def test_equal_pairs_make_equal_files(filled: Home, tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        export_paq(filled, tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_nothing_is_written_where_nothing_may_be(filled: Home, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with pytest.raises(ConfigError, match="does not let them be passed on"):
        export_paq(filled, out, [PLAYS])
    with pytest.raises(ConfigError, match="wikidata/P175 is not in the corpus"):
        export_paq(filled, out, [ShardName("wikidata", "P175")])
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []
    out.write_text("mine")
    with pytest.raises(ConfigError, match="exists already"):
        export_paq(filled, out)
    assert out.read_text() == "mine"


def test_an_empty_corpus_has_nothing_to_export(home: Home, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is nothing to export"):
        export_paq(home, tmp_path / "out.jsonl")
