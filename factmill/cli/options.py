"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from factmill.home import Home
from factmill.settings import settings

HomeOption = Annotated[
    Path | None,
    typer.Option("--home", help="The workspace folder.  [default: $FACTMILL_HOME or ./data]", show_default=False),
]
PresetOption = Annotated[
    str | None,
    typer.Option("--preset", help="A named selection, such as thesis, or a TOML file.", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
QuestionsOption = Annotated[
    Path, typer.Option("--questions", help="Questions with answers, as NQ-open's JSONL.", show_default=False)
]
ViewOption = Annotated[
    str | None, typer.Option("--view", help="Search only this view of the milled shards.", show_default=False)
]


def open_home(home: Path | None, *, create: bool = False) -> Home:
    """Open the workspace that the user chose."""
    return Home.open(home or settings().home, create=create)
