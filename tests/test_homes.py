import subprocess
import sys
from pathlib import Path

import pytest

from factmill.corpus import Corpus
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.names import ShardName
from tests.conftest import run_without_privileges
from tests.pairs import ORIGIN, shard_rows

SONGS = ShardName("wikidata", "P175")


@pytest.mark.parametrize("name", ["with space", "it's", "josé 家", "a;b&c", "x=y", "~tilde"])
def test_a_home_may_have_any_ordinary_name(tmp_path: Path, name: str) -> None:
    home = Home.open(tmp_path / name, create=True)
    Corpus(home).write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    Corpus(home).write(SONGS, shard_rows(SONGS, ["a", "b"]), ORIGIN)
    assert Corpus(home).latest().rows(SONGS).num_rows == 2


@pytest.mark.parametrize("name", ["100%", "a%20b", "glob[1]", "st*r", "q?", "c#"])
def test_a_name_that_delta_cannot_take_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="Delta cannot take"):
        Home.open(tmp_path / name, create=True)


def test_a_log_that_was_never_begun_is_no_obstacle(home: Home) -> None:
    (home.corpus / "_delta_log").mkdir(parents=True)
    assert Corpus(home).latest().shards() == {}
    Corpus(home).write(SONGS, shard_rows(SONGS, ["a"]), ORIGIN)
    assert Corpus(home).latest().rows(SONGS).num_rows == 1


def test_what_a_killed_process_left_is_cleared_away(home: Home) -> None:
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from factmill.home import Home\n"
        "with Home.open(Path(sys.argv[1])).scratch() as scratch:\n"
        "    (scratch / 'big').write_text('x')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(home.root)], check=False).returncode == -9
    assert len(list((home.root / "warehouse").iterdir())) == 1
    with home.scratch() as mine, home.scratch() as other:
        assert {path.name for path in (home.root / "warehouse").iterdir()} == {mine.name, other.name}
    assert list((home.root / "warehouse").iterdir()) == []


def test_a_home_that_may_only_be_read_can_be_read(home: Home, dump: Path) -> None:
    from factmill.stage import stage_wikidata

    stage_wikidata(home, dump, "en")
    for path in [home.root, *home.root.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    readable = run_without_privileges(home, "select")
    assert (readable.returncode, "wikidata/P175" in readable.stdout) == (0, True), readable.stderr
    preview = run_without_privileges(home, "templates", "preview", "P175")
    assert (preview.returncode, "who sings hello" in preview.stdout) == (0, True), preview.stderr
    for words in (["augment", "wikidata/P175", "--no-index"], ["corpus", "import", "demo/base.jsonl"]):
        refused = run_without_privileges(home, *words)
        assert refused.returncode == 1
        assert refused.stderr.startswith("Error: ")
        assert refused.stderr.count("\n") == 1


def test_variants_sort_beside_their_plain_shard() -> None:
    names = [ShardName.parse(text) for text in ("wikidata/P161~character", "wikidata/P50", "wikidata/P161")]
    assert [str(name) for name in sorted(names)] == ["wikidata/P161", "wikidata/P161~character", "wikidata/P50"]
