"""The manifest of a snapshot: what was staged, from what, and what was left out.

A snapshot's name is made of what determines its content: the input's digest, what of it was asked for and the version
of the stage format. The same input gives the same name on every machine.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from factmill.errors import ConfigError
from factmill.facts import IdSpace
from factmill.home import Home, write_atomically
from factmill.names import PropertyId, ShardName
from factmill.project import source_names

STAGE_FORMAT = 3
MANIFEST_FILE = "manifest.json"
_CURRENT = "current"


class QuestionFile(BaseModel):
    """A file of questions that decided what was staged: measured on these, what was staged is an oracle's choice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    sha256: str


@dataclass(frozen=True)
class Scope:
    """What of an input is staged: names in a language, all properties or only some, all subjects or only some."""

    lang: str
    only: tuple[PropertyId | ShardName, ...] = ()
    qualified: tuple[PropertyId, ...] = ()
    """Properties whose statements with qualifiers are taken from a second file."""
    min_votes: int | None = None
    """The least votes of a title that is staged whether or not a question names it."""
    questions: tuple[QuestionFile, ...] = ()
    """Questions whose titles are staged."""
    titles: tuple[str, ...] = ()
    """Ids of titles that are staged because somebody named them."""

    @property
    def text(self) -> str:
        """Return the same text for the same scope.

        >>> Scope("en", (PropertyId(50), PropertyId(17))).text
        'en P17 P50'
        """
        qualified = [f"{name}+" for name in names_of(self.qualified)]
        votes = [] if self.min_votes is None else [f"votes>={self.min_votes}"]
        questions = [f"questions:{sha256}" for sha256 in sorted({file.sha256 for file in self.questions})]
        return " ".join([self.lang, *names_of(self.only), *qualified, *votes, *questions, *sorted(set(self.titles))])


def names_of(predicates: Sequence[PropertyId | ShardName]) -> list[str]:
    """Name each of some predicates once, in alphabetical order."""
    return sorted(set(map(str, predicates)))


class Manifest(BaseModel):
    """What one snapshot holds. Only `staged_at`, `seconds` and `machine` differ between two machines."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = STAGE_FORMAT
    source: str
    snapshot: str
    ids: IdSpace
    input: str
    input_bytes: int
    input_sha256: str
    second_input: str | None
    lang: str
    only: list[str]
    qualified: list[str]
    min_votes: int | None = None
    questions: list[QuestionFile] = []
    titles: list[str] = []
    licence: str
    as_of: date | None
    lines: int
    names: int
    qualified_facts: int
    qualified_lines: int
    facts: int
    facts_by_kind: dict[str, int]
    entities: int
    ignored: dict[str, int]
    rejected: dict[str, int]
    figures: dict[str, float] = {}
    staged_at: datetime
    seconds: float
    machine: str


def snapshot_name(input_sha256: str, scope: Scope) -> str:
    """Name the snapshot of an input.

    >>> snapshot_name("ab" * 32, Scope("en"))
    '6b612f950a8b33fd'
    """
    text = f"{STAGE_FORMAT}\n{input_sha256}\n{scope.text}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Stage:
    """One staged snapshot on disk."""

    def __init__(self, folder: Path) -> None:
        path = folder / MANIFEST_FILE
        try:
            self.manifest = Manifest.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise ConfigError(f"{path} cannot be read. Delete the folder {folder} and stage again.") from error
        if self.manifest.format != STAGE_FORMAT:
            raise ConfigError(
                f"{path} has format {self.manifest.format}, this factmill knows {STAGE_FORMAT}. Stage the input again."
            )
        self.folder = folder
        self.facts = folder / "facts"
        self.entities = folder / "entities"

    @classmethod
    def current(cls, home: Home, source: str) -> "Stage":
        """Open the snapshot of a source that was staged last."""
        pointer = home.staged(source) / _CURRENT
        try:
            snapshot = pointer.read_bytes().decode("ascii", "replace").strip()
        except OSError as error:
            if source not in source_names():
                raise ConfigError(
                    f"there is no source called {source[:80]!r}. There are: {', '.join(source_names())}."
                ) from error
            raise ConfigError(
                f"nothing of {source} is staged in {home.root}. Run `factmill stage {source} …` first."
            ) from error
        if not snapshot.isalnum():
            raise ConfigError(f"{pointer} is damaged. Stage the input again.")
        return cls(home.staged(source) / snapshot)

    def make_current(self, home: Home) -> None:
        """Let every later step read this snapshot."""
        write_atomically(home.staged(self.manifest.source) / _CURRENT, self.manifest.snapshot + "\n")


def is_current(home: Home, stage: Stage) -> bool:
    """Tell whether later steps read this snapshot."""
    try:
        return Stage.current(home, stage.manifest.source).folder == stage.folder
    except ConfigError:
        return False


def staged_sources(home: Home) -> list[str]:
    """Name the sources of which something is staged."""
    return sorted(path.parent.name for path in (home.root / "staged").glob(f"*/{_CURRENT}"))
