"""The wheel carries the project's folders and works from any folder."""

from pathlib import Path

from tests.conftest import run_cleanly as _run


def test_the_wheel_runs_from_another_folder(installed: Path, tmp_path: Path) -> None:
    from factmill import __version__

    assert _run(installed / "factmill", "--version", cwd=tmp_path) == f"factmill {__version__}\n"
    assert "who sings {{ subject }}" in _run(installed / "factmill", "templates", "list", cwd=tmp_path)


def test_the_wheel_stages_and_mills(installed: Path, tmp_path: Path, dump: Path) -> None:
    _run(installed / "factmill", "stage", "wikidata", dump, cwd=tmp_path)
    out = _run(installed / "factmill", "augment", "wikidata/P175", "--no-index", cwd=tmp_path)
    assert "who sings hello → Adele" in out
    assert (tmp_path / "data" / "corpus").is_dir()


def test_the_wheel_knows_the_presets(installed: Path, tmp_path: Path) -> None:
    code = "from factmill.presets import find_preset; print(len(find_preset('thesis').predicates))"
    assert _run(installed / "python", "-c", code, cwd=tmp_path) == "34\n"


def test_the_wheel_adds_nothing_but_the_package(installed: Path, tmp_path: Path) -> None:
    code = "import importlib.util as u; print([n for n in ('sources', 'flows', 'tests', 'sql') if u.find_spec(n)])"
    assert _run(installed / "python", "-c", code, cwd=tmp_path) == "[]\n"
