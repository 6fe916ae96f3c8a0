"""A file of rows in the folder of the corpus, which belongs to no version until it is committed."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from deltalake.transaction import AddAction, RemoveAction

from factmill.errors import CorpusError
from factmill.full_disk import is_full_disk
from factmill.shard_rows import ShardRows


class PlacedFile:
    """A file that a commit can add to the table."""

    def __init__(self, rows: ShardRows, path: Path, name: str) -> None:
        self.may_be_committed = False
        """Whether a version may have it, as where a run was stopped while it was committing; then it must stay."""
        self._rows = rows
        self._path = path
        self._name = name

    def actions(self, partition: dict[str, str | None]) -> list[AddAction | RemoveAction]:
        """Return what adds the file to a version; nothing where there are no rows."""
        if not self._rows.n_rows:
            return []
        told = self._path.stat()
        stats = json.dumps({"numRecords": self._rows.n_rows})
        return [AddAction(self._name, told.st_size, partition, int(told.st_mtime * 1000), True, stats)]


@contextmanager
def placed(rows: ShardRows, corpus: Path) -> Iterator[PlacedFile]:
    """Put the file into the folder of the table; take it out again if it is certainly not committed."""
    # Nothing that would be encoded in the log.
    name = f"source={rows.shard.source}/{uuid4().hex}.parquet"
    file = PlacedFile(rows, corpus / name, name)
    try:
        if rows.n_rows:
            (corpus / name).parent.mkdir(exist_ok=True)
            _link(rows.file, corpus / name)
        yield file
    except OSError as error:
        if is_full_disk(error):
            raise
        raise CorpusError(f"cannot write to the corpus in {corpus}: {error.strerror}. Nothing was changed.") from error
    finally:
        if not file.may_be_committed:
            (corpus / name).unlink(missing_ok=True)


def _link(file: Path, name: Path) -> None:
    """Give a file a second name, or copy it where the file system has no such thing."""
    try:
        os.link(file, name)
    except OSError:
        shutil.copyfile(file, name)
