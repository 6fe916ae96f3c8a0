"""Snapshots are listed and deleted; the one in use stays."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from factmill.home import Home
from factmill.manifest import Stage
from factmill.names import PropertyId
from factmill.snapshots import delete_snapshots, find_snapshots, old_snapshots
from factmill.stage import stage_wikidata
from tests.conftest import Outcome
from tests.dumps import fact, write_dump

Factmill = Callable[..., Outcome]


@pytest.fixture
def three(home: Home, dump: Path) -> list[str]:
    """Three snapshots, the first staged in use again; in the order of staging."""
    names = [stage_wikidata(home, dump, lang).stage.manifest.snapshot for lang in ("en", "zh")]
    names.append(stage_wikidata(home, dump, "en", only=[PropertyId(175)]).stage.manifest.snapshot)
    stage_wikidata(home, dump, "en")
    return names


def test_the_newest_comes_first_and_one_is_in_use(home: Home, three: list[str]) -> None:
    found = find_snapshots(home)
    assert [(each.manifest.snapshot, each.is_current, each.scope) for each in found] == [
        (three[2], False, "en; only P175"),
        (three[1], False, "zh"),
        (three[0], True, "en"),
    ]
    assert all(each.n_bytes > 1_000 for each in found)


@pytest.mark.parametrize(("keep", "left"), [(1, [0]), (2, [0, 2]), (3, [0, 1, 2]), (9, [0, 1, 2])])
def test_the_one_in_use_and_the_newest_are_kept(home: Home, three: list[str], keep: int, left: list[int]) -> None:
    (home.staged("wikidata") / "0123456789abcdef.deleted").mkdir()
    delete_snapshots(home, old_snapshots(home, keep=keep))
    folders = {path.name for path in home.staged("wikidata").iterdir() if path.is_dir()}
    assert folders == {three[number] for number in left}
    assert Stage.current(home, "wikidata").manifest.snapshot == three[0]


def test_the_command_line_lists_and_prunes(factmill: Factmill, home: Home, three: list[str]) -> None:
    rows = json.loads(factmill("stage", "list", "--json").out)["snapshots"]
    assert [(row["snapshot"], row["in_use"]) for row in rows] == [
        (three[2], False),
        (three[1], False),
        (three[0], True),
    ]
    listed = factmill("stage", "list")
    assert (listed.status, listed.out.splitlines()[-1]) == (0, "Next: factmill stage prune")
    refused = factmill("stage", "prune")
    assert (refused.status, len(find_snapshots(home))) == (1, 3), "nobody said yes"
    pruned = factmill("stage", "prune", "--keep", "2", "--yes")
    assert (pruned.status, pruned.out) == (0, "Deleted 1 snapshots, 0 MB.\n")
    assert {each.manifest.snapshot for each in find_snapshots(home)} == {three[0], three[2]}
    assert factmill("stage", "prune", "--yes", "--source", "imdb").status == 1


def test_a_snapshot_of_another_version_is_told_and_left_alone(factmill: Factmill, home: Home, three: list[str]) -> None:
    folder = home.staged("wikidata") / "0123456789abcdef"
    folder.mkdir()
    (folder / "manifest.json").write_text('{"format": 1}')
    assert f"Unreadable: {folder}, damaged or of another version" in factmill("stage", "list").out
    assert factmill("stage", "prune", "--yes").status == 0
    assert {path.name for path in home.staged("wikidata").iterdir() if path.is_dir()} == {three[0], folder.name}


def test_staging_again_says_that_another_snapshot_is_in_use_now(factmill: Factmill, dump: Path) -> None:
    factmill("stage", "wikidata", dump)
    assert "in use again" not in factmill("stage", "wikidata", dump).out
    only = factmill("stage", "wikidata", dump, "--only", "P175")
    assert "Popularity counts the facts of these properties alone" in only.out
    assert "This snapshot is in use again from now on" in factmill("stage", "wikidata", dump).out


def test_a_language_without_names_is_said(factmill: Factmill, dump: Path) -> None:
    outcome = factmill("stage", "wikidata", dump, "--lang", "de")
    assert "No entity has a name in the language 'de', so nothing can be asked." in outcome.out


def test_properties_that_are_not_named_or_not_there_are_said(factmill: Factmill, dump: Path, tmp_path: Path) -> None:
    assert factmill("stage", "wikidata", dump, "--only", "").status == 2
    assert factmill("stage", "wikidata", dump, "--qualified", "").status == 2
    films = write_dump(tmp_path / "films.nt.gz", [fact("Q1", "P57", "Q2")])
    none = factmill("stage", "wikidata", films, "--only", "P50,P161")
    assert (none.status, none.err) == (1, "Error: films.nt.gz holds no facts of P50, P161. Nothing was staged.\n")


def test_nothing_staged_is_said(factmill: Factmill, home: Home) -> None:
    outcome = factmill("select")
    assert (outcome.status, "nothing is staged in" in outcome.err) == (1, True)
