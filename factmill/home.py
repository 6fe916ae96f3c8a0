"""The workspace: one folder with everything a run reads and writes.

staged/<source>/<snapshot>/             facts/ and entities/ as Parquet, with a manifest
staged/<source>/<snapshot>.unfinished/  finished windows of a run that was interrupted
staged/<source>/current                 the snapshot in use
warehouse/                              scratch space of DuckDB; may be deleted at any time
corpus/                                 the Delta table of question-answer pairs
links/<source>/                         which entities question sets mention; may be deleted at any time
views/                                  what the views are, and of which shards they were computed
cures/<encoder>.json                    what keeps shards from doing harm in a search
index/<encoder>/<source>/<predicate>/   vectors and look-up of one shard, with a manifest
rejects/<run>.jsonl                     every line or row that was refused, with the reason
runs/<run>/                             metrics.json, tables and report.html of an ablation or an analysis
home.json                               the version of this layout
"""

import errno
import json
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from factmill.errors import ConfigError

_MAY_NOT_WRITE = (errno.EACCES, errno.EPERM, errno.EROFS)
DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT)

HOME_FORMAT = 2
"""Version of the layout above and of every schema in it. A newer home is refused, never guessed at."""


@dataclass(frozen=True)
class Home:
    """A workspace that exists and has a format we know."""

    root: Path

    @classmethod
    def open(cls, root: Path, *, create: bool = False) -> "Home":
        """Open the workspace at this folder; commands that bring data in create it."""
        if odd := set(str(root.absolute())) & set("%[]*?#{}"):
            raise ConfigError(
                f"cannot use {root} as the home: its path holds {sorted(odd)[0]}, which Delta cannot take."
            )
        check_utf8(root.absolute())
        marker = root / "home.json"
        try:
            if not marker.exists():
                if not create:
                    raise ConfigError(_no_home(root))
                root.mkdir(parents=True, exist_ok=True)
                write_atomically(marker, json.dumps({"format": HOME_FORMAT}) + "\n")
            text = marker.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            text = ""
        except OSError as error:
            raise ConfigError(
                f"cannot use {root} as the home: {error.strerror}. Choose another with --home or FACTMILL_HOME."
            ) from error
        home = cls(root.resolve())
        home._check_format(text)
        return home

    def _check_format(self, text: str) -> None:
        try:
            found = json.loads(text)["format"]
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f'{self.root}/home.json is damaged. It should read {{"format": {HOME_FORMAT}}}.'
            ) from error
        if found != HOME_FORMAT:
            raise ConfigError(
                f"{self.root} has format {found}, this factmill knows format {HOME_FORMAT}."
                " Install the version that wrote it, or choose another home with --home."
            )

    @property
    def corpus(self) -> Path:
        """The Delta table."""
        return self.root / "corpus"

    def staged(self, source: str) -> Path:
        """All snapshots of one source."""
        return self.root / "staged" / source

    def index(self, encoder: str) -> Path:
        """All index shards of one encoder."""
        return self.root / "index" / encoder

    def links(self, source: str) -> Path:
        """Which entities of a source question sets mention."""
        return self.root / "links" / source

    @property
    def views(self) -> Path:
        """What the views are, and of which shards they were computed."""
        return self.root / "views"

    def cures(self, encoder: str) -> Path:
        """What keeps shards from doing harm in a search with one encoder."""
        return self.root / "cures" / f"{encoder}.json"

    def rejects(self, run: str) -> Path:
        """What one run refused."""
        return self.root / "rejects" / f"{run}.jsonl"

    def run(self, name: str) -> Path:
        """What one run measured."""
        return self.root / "runs" / name

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Give a folder on the home's own disk, removed at the end whatever happens.

        What a killed process left there is cleared away. A home that may only be read gets a folder elsewhere.
        """
        parent = self.root / "warehouse"
        owner = f"{socket.gethostname()}-"
        try:
            parent.mkdir(exist_ok=True)
            for left in parent.glob(f"{owner}*"):
                process = left.name.removeprefix(owner).partition("-")[0]
                if process.isdigit() and not _is_running(int(process)):
                    shutil.rmtree(left, ignore_errors=True)
            folder = Path(tempfile.mkdtemp(dir=parent, prefix=f"{owner}{os.getpid()}-"))
        except OSError as error:
            if error.errno not in _MAY_NOT_WRITE:
                raise
            folder = Path(tempfile.mkdtemp(prefix="factmill-"))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's, and alive
    return True


def _no_home(root: Path) -> str:
    if (root / "demo" / "home.json").exists():
        return (
            f"{root} is not a factmill home; the demo's is {root / 'demo'}. Choose it with --home, or stage a source."
        )
    return (
        f"{root} is not a factmill home. `factmill stage` and `factmill corpus import` start one;"
        " choose another with --home or FACTMILL_HOME."
    )


def check_utf8(path: Path) -> None:
    """Refuse a path that cannot be written down."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"the path {os.fsencode(path)!r} is not UTF-8. Rename it.") from error


def write_atomically(path: Path, text: str) -> None:
    """Write a small file so that a reader sees the old text or the new one, never a part."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
