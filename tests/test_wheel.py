"""The wheel carries the project's folders and works from any folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


def _run(*command: str | Path, cwd: Path, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("FACTMILL_", "PYTHON"))}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=clean | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel with its locked dependencies in a clean environment; returns its folder of programs."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    _run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    with_pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "install"]
    install = [uv, "pip", "install", "--python", python] if uv else with_pip
    _run(*install, "--quiet", "--require-hashes", "-r", ROOT / "requirements.lock", cwd=folder)
    _run(*install, "--quiet", "--no-deps", wheel, cwd=folder)
    return python.parent


def test_the_wheel_runs_from_another_folder(installed: Path, tmp_path: Path) -> None:
    from factmill import __version__

    assert _run(installed / "factmill", "--version", cwd=tmp_path) == f"factmill {__version__}\n"
    assert "who sings {{ subject }}" in _run(installed / "factmill", "templates", "list", cwd=tmp_path)


def test_the_wheel_stages_and_mills(installed: Path, tmp_path: Path, dump: Path) -> None:
    _run(installed / "factmill", "stage", "wikidata", dump, cwd=tmp_path)
    out = _run(installed / "factmill", "augment", "wikidata/P175", "--no-index", cwd=tmp_path)
    assert "who sings hello → Adele" in out
    assert (tmp_path / "data" / "corpus").is_dir()


def test_the_wheel_adds_nothing_but_the_package(installed: Path, tmp_path: Path) -> None:
    code = "import importlib.util as u; print([n for n in ('sources', 'flows', 'tests', 'sql') if u.find_spec(n)])"
    assert _run(installed / "python", "-c", code, cwd=tmp_path) == "[]\n"
