"""How the hot loops in this folder are compiled.

The first run on a machine compiles them, which takes some seconds; later ones find the result in the cache. numba looks
only at the file of a function to tell whether that is up to date, but the functions here call each other across files,
so the place in the cache is named after the content of all of them.
"""

import functools
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from factmill.settings import settings

_COMPILED_FILES = (
    "_compiled.py",
    "_ntriples_bytes.py",
    "_statement_kernel.py",
    "_truthy_kernel.py",
    "_truthy_rows.py",
)


def _cache() -> Path | None:
    """Return where compiled functions are kept; None where nothing can be written."""
    sources = b"".join((Path(__file__).parent / name).read_bytes() for name in _COMPILED_FILES)
    folder = settings().cache / "compiled" / hashlib.sha256(sources).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


_CACHE = _cache()
if _CACHE:
    vars(numba.config)["CACHE_DIR"] = str(_CACHE)

# Without reference counts: numba would count each array of each call, atomically, and take twice as long. So nothing
# may be allocated in these functions. What numba makes of a function has no type that mypy could know.
_OPTIONS: dict[str, Any] = {"nogil": True, "forceinline": True, "_nrt": False}
compiled: Any = numba.njit(**_OPTIONS)
"""For functions that other compiled ones call; they become a part of those."""


def entry_point(function: Any) -> Callable[..., None]:
    """Compile a function that Python calls, and keep the result. No trouble with the cache stops the work."""
    loop = numba.njit(cache=_CACHE is not None, **_OPTIONS)(function)

    @functools.wraps(function)
    def call(*arguments: Any) -> None:
        try:
            loop(*arguments)
        except OSError:
            # There was no room to keep it. It is compiled all the same.
            loop(*arguments)
        except (EOFError, ValueError, pickle.UnpicklingError):
            # What was kept is damaged, as a loss of power leaves it.
            _discard_cache()
            loop(*arguments)

    return call


def _discard_cache() -> None:
    for file in _CACHE.rglob("*") if _CACHE else ():
        if file.is_file():
            file.unlink(missing_ok=True)
