"""Finds the project's folders (sources/, sql/, templates/, presets/, flows/, demo/) wherever factmill was installed.

The order: the setting `project` (FACTMILL_PROJECT), the checkout this package stands in, the copy in the wheel.
Sources are loaded by name from there, so the package never imports them.
"""

import importlib
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from factmill.errors import ConfigError
from factmill.names import is_word
from factmill.settings import settings

_PACKAGE = Path(__file__).resolve().parent


def root() -> Path:
    """Return the folder that holds sources/, sql/ and templates/."""
    chosen = settings().project
    candidates = [chosen] if chosen else [_PACKAGE.parent, _PACKAGE / "_project"]
    for folder in candidates:
        if (folder / "sources").is_dir() and (folder / "sql").is_dir() and (folder / "templates").is_dir():
            return folder.resolve()
    if chosen:
        raise ConfigError(f"FACTMILL_PROJECT is {chosen}, which lacks sources/, sql/ or templates/.")
    raise ConfigError("this installation lacks its sources/, sql/ and templates/. Install factmill again.")


def source_names() -> list[str]:
    """Name the sources that can be staged."""
    return list(_source_names(root()))


@cache
def _source_names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (folder / "sources").glob("*.py") if is_word(path.stem)))


def load_source(name: str) -> ModuleType:
    """Import `sources/<name>.py`.

    The project folder goes first on the path: another package called `sources` must not shadow ours.
    """
    if name not in source_names():
        raise ConfigError(f"there is no source called {name[:80]!r}. There are: {', '.join(source_names())}.")
    folder = str(root())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(f"sources.{name}")
