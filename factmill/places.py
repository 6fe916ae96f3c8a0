"""What stands at the place that a fact came from: the contract between `factmill why` and the sources.

Each module in sources/ has `read_places(places, inputs)`: it reads the places of facts back from the files of a
snapshot, all of them in one go, and says what each states. What a place looks like only the source knows.
"""

from pathlib import Path
from typing import NamedTuple


class Place(NamedTuple):
    """Where a fact of some predicate came from, as the source wrote it."""

    predicate: str
    text: str


class Claim(NamedTuple):
    """A fact that a line or row states; ids are written as text, a value is its text."""

    subject: str
    predicate: str
    object: str
    qualifiers: tuple[tuple[str, str], ...] = ()


class Reading(NamedTuple):
    """What stands at a place of one file of the input."""

    file: str
    """Path of the file, or address of the endpoint."""
    where: str
    """The place in words."""
    lines: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    query: str | None = None
    """What an endpoint would be asked for this row."""
    unread: str = ""
    """Why the place was not looked at, if it was not."""


Readings = dict[Place, list[Reading]]
"""What stands at places: one reading for each file that a place may be in."""


def unreadable(path: Path, error: Exception) -> Reading:
    """Return what is said of a place in a file that cannot be read."""
    # What a reader says to somebody who stages does not matter here.
    reason = str(error).partition(" Nothing was staged")[0]
    return Reading(str(path), "", unread=f"{path} cannot be read: {reason}")


def shown(line: bytes) -> str:
    """Return a line as text, whatever its bytes are."""
    return line.decode("utf-8", "backslashreplace")
