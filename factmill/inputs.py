"""Where the files lie that a snapshot was staged from, and whether they are still these files.

The manifest is the same on every machine, so it cannot say where an input lay. `inputs.json` beside it can: path,
length and a sample of each file (factmill/identity.py). A file is looked for where somebody says, then where it lay. It
is taken if length and sample are equal: reading a whole dump again only to know that it is the one would take minutes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from factmill.errors import ConfigError
from factmill.home import write_atomically
from factmill.identity import file_sample
from factmill.manifest import Stage

INPUTS_FILE = "inputs.json"
_ONLY_THE_LINES_TELL = "Nothing but the lines themselves tells whether these are the files that were staged."


class InputFile(BaseModel):
    """One file that a snapshot was staged from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    n_bytes: int
    sample: str

    @classmethod
    def of(cls, path: Path) -> "InputFile":
        """Describe a file."""
        return cls(path=path.absolute(), n_bytes=path.stat().st_size, sample=file_sample(path))


_FILES = TypeAdapter(list[InputFile])


class InputHere(NamedTuple):
    """A file of an input: its name when it was staged, and where it is now or what became of it."""

    name: str
    path: Path | None
    missing: str = ""


@dataclass(frozen=True)
class Inputs:
    """The files of an input, in the order of staging. An endpoint has none."""

    name: str
    """What the manifest calls the input: a file, a folder or an endpoint."""
    files: tuple[InputHere, ...] = ()
    is_recorded: bool = True
    """Whether these are known to be the files; otherwise somebody has named them."""
    note: str = ""
    """What one should know about these files."""


def write_inputs(folder: Path, files: Iterable[Path]) -> None:
    """Note beside the manifest where the files lie now. An endpoint has none."""
    described = [InputFile.of(path) for path in files]
    if described:
        write_atomically(folder / INPUTS_FILE, _FILES.dump_json(described, indent=2).decode() + "\n")


def find_inputs(stage: Stage | None, named: Sequence[Path] = ()) -> Inputs:
    """Find the files that a snapshot was staged from, among those that are named and where they lay."""
    candidates = [file for path in named for file in _files_at(path)]
    recorded = _recorded(stage.folder) if stage else None
    if recorded is None:
        return _as_named(stage, candidates)
    files = []
    for wanted in recorded:
        found = next((path for path in [*candidates, wanted.path] if _is_same(path, wanted)), None)
        files.append(InputHere(wanted.path.name, found, "" if found else _what_became_of(wanted, candidates)))
    return Inputs(stage.manifest.input if stage else "", tuple(files))


def _files_at(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.iterdir() if file.is_file())
    if not path.is_file():
        raise ConfigError(f"{path} is no file and no folder. Check the path.")
    return [path]


def _recorded(folder: Path) -> list[InputFile] | None:
    """Return what was noted; None for a snapshot of an endpoint, or from before anything was noted."""
    try:
        return _FILES.validate_json((folder / INPUTS_FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def _is_same(path: Path, wanted: InputFile) -> bool:
    try:
        return path.is_file() and path.stat().st_size == wanted.n_bytes and file_sample(path) == wanted.sample
    except OSError:
        return False


def _what_became_of(wanted: InputFile, candidates: Sequence[Path]) -> str:
    """Say in words why a file is not here."""
    alike = [path for path in [*candidates, wanted.path] if path.name == wanted.path.name and path.is_file()]
    if not alike:
        return f"{wanted.path} is gone. If it lies elsewhere, name it with --dump."
    n_bytes = alike[0].stat().st_size
    how = "as long, but with other content"
    if n_bytes != wanted.n_bytes:
        how = f"{n_bytes:,} bytes instead of {wanted.n_bytes:,}"
    return f"{alike[0]} is not the file that was staged: {how}. If that lies elsewhere, name it with --dump."


def _as_named(stage: Stage | None, candidates: Sequence[Path]) -> Inputs:
    """Take files that somebody names where nothing was noted."""
    name = stage.manifest.input if stage else ""
    if not candidates:
        is_endpoint = "://" in name
        what = f"where {name} lies was not noted" if stage else "the snapshot is gone, and with it where its input lies"
        gone = () if is_endpoint else (InputHere(name, None, f"{what}. Name it with --dump."),)
        return Inputs(name, gone)
    files = tuple(InputHere(path.name, path) for path in candidates)
    return Inputs(name, files, is_recorded=False, note=_ONLY_THE_LINES_TELL)
