"""Fixtures that several test files share."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from factmill.home import Home
from factmill.settings import settings
from tests.dumps import write_dump
from tests.fetching import client, server, with_old  # noqa: F401

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("FACTMILL_SHARED", ROOT.parent / "shared"))


_SLOWEST = (
    "test_demo",
    "test_benchmarks",
    "test_flows",
    "test_dbpedia_virtuoso",
    "test_staging_survives",
    "test_command_line",
    "test_encoder",
    "test_corpus_full_disk",
    "test_wheel",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no worker is left alone with one in the end."""
    places = {name: place for place, name in enumerate(_SLOWEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where everything must run, a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("FACTMILL_TEST_NO_SKIPS") and reporter and reporter.stats.get("skipped"):
        reporter.write_line("Tests were skipped although FACTMILL_TEST_NO_SKIPS is set.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def _settings_of_this_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Each test has a home of its own and no settings from outside."""
    for name in [name for name in os.environ if name.startswith("FACTMILL_") and name not in _KEPT]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FACTMILL_HOME", str(tmp_path / "home"))
    settings.cache_clear()
    yield
    settings.cache_clear()


_KEPT = {"FACTMILL_CACHE", "FACTMILL_MINILM", "FACTMILL_SHARED", "FACTMILL_TEST_NO_SKIPS"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home", create=True)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """A small truthy dump: two songs called Hello, a singer, an untitled thing and a few oddities."""
    return write_dump(tmp_path / "dump.nt.gz")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=False).returncode:
        pytest.skip("only root can mount a small file system")
    yield folder
    # Lazily, because a thread of Delta's may hold a file a moment longer.
    subprocess.run(["umount", "--lazy", folder], check=True)


def resize_disk(disk: Path, kilobytes: int) -> None:
    """Make a small disk larger or smaller."""
    subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", disk], check=True)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The real data beside the project."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"real data is missing: there is no {SHARED}/data")
    return SHARED / "data"


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    status: int
    out: str
    err: str


@pytest.fixture
def factmill(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run the command line in this process."""

    def run(*arguments: str | Path) -> Outcome:
        from factmill.cli import main

        words: Sequence[str] = ["factmill", *map(str, arguments)]
        monkeypatch.setattr(sys, "argv", list(words))
        settings.cache_clear()
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), out, err)

    return run


def _clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("FACTMILL_HOME", "PYTHON"))}


@pytest.fixture
def clean_environment() -> dict[str, str]:
    """The environment of a user who has just installed factmill."""
    return _clean_environment()


def run_cleanly(*command: str | Path, cwd: Path) -> str:
    """Run a program as a user who has just installed factmill; return what it prints."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=_clean_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_without_privileges(home: Home, *words: str) -> subprocess.CompletedProcess[str]:
    """Root may write anywhere, so it runs without that capability."""
    command = [sys.executable, "-m", "factmill", *words]
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is missing: install util-linux")
        capabilities = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--inh-caps={capabilities}", f"--bounding-set={capabilities}", *command]
    environment = os.environ | {"FACTMILL_HOME": str(home.root)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel with its locked dependencies in a clean environment; returns its folder of programs."""
    folder = tmp_path_factory.mktemp("wheel")
    run_cleanly(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    run_cleanly(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    with_pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "install"]
    with_uv: list[str | Path] = [uv, "pip", "install", "--python", python] if uv else with_pip
    lock: list[str | Path] = ["--quiet", "--require-hashes", "-r", ROOT / "requirements.lock"]
    try:
        run_cleanly(*with_uv, *lock, cwd=folder)
    except AssertionError:
        # As in the Makefile: uv may not reach a package index that pip is set up for.
        run_cleanly(*with_pip, *lock, cwd=folder)
    run_cleanly(*with_pip, "--quiet", "--no-deps", wheel, cwd=folder)
    return python.parent
