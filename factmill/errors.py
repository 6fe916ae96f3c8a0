"""Every error factmill raises on purpose, split by what the reader does next.

* FactmillError
  - ConfigError           a setting, name, template, SQL file or folder is wrong: fix it, run again
  - SourceError           a source misbehaved; nothing of it was staged
    . SourceUnavailable   timeout, 429, 5xx, no network, broken off: may pass, flows retry these
    . SourceIncomplete    less arrived than was promised: fetch it again
    . SourceFormatError   not what we parse: retrying cannot help
  - CorpusError           a shard of the corpus cannot be read or written
    . CorpusConflict      other writers kept winning: run again
  - IndexFileError        an index is missing, corrupt or of another encoder: run `factmill index`

The command line prints the message after "Error: " and exits with status 1.
"""


class FactmillError(Exception):
    """Base of everything factmill raises on purpose."""


class ConfigError(FactmillError):
    """A setting, name, template, SQL file or folder is wrong."""


class SourceError(FactmillError):
    """A source misbehaved; nothing of it was staged."""


class SourceUnavailable(SourceError):
    """A source could not be reached or broke off; trying again may help, but not before it asks for it."""

    def __init__(self, message: str, wait_seconds: float = 0) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds


class SourceIncomplete(SourceError):
    """A source gave less than it promised."""


class SourceFormatError(SourceError):
    """A source holds something we do not parse; trying again cannot help."""


class CorpusError(FactmillError):
    """A shard of the corpus cannot be read or written."""


class CorpusConflict(CorpusError):
    """Other writers of the same shard kept winning."""


class IndexFileError(FactmillError):
    """An index is missing, corrupt or was made by another encoder."""
