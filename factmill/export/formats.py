"""The formats by name, and the options that each of them takes."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from factmill.errors import ConfigError
from factmill.export.chosen import Choice, ChosenPairs
from factmill.export.exported import Exported
from factmill.export.hf import check_folder, export_hf
from factmill.export.kilt import KiltFormat
from factmill.export.lines import export_lines
from factmill.export.pages import wikipedia_pages
from factmill.export.paq import PaqFormat
from factmill.export.qampari import QampariFormat
from factmill.home import Home

FormatName = Literal["paq", "kilt", "qampari", "hf"]


@dataclass(frozen=True)
class Options:
    """What shapes the lines of a format."""

    metadata: bool = False
    slots: bool = False
    wikipedia_pages: Path | None = None
    split: Literal["train", "dev", "test"] = "train"
    min_answers: int = 1


_TAKEN_BY = {
    "metadata": "paq",
    "slots": "kilt",
    "wikipedia_pages": "kilt",
    "split": "qampari",
    "min_answers": "qampari",
}


def export_corpus(
    home: Home,
    path: Path,
    form: FormatName = "paq",
    choice: Choice = Choice(),  # noqa: B008 - frozen
    options: Options = Options(),
) -> Exported:
    """Write pairs of the corpus in a format to a new file, or for `hf` to a new folder."""
    for option in fields(options):
        if getattr(options, option.name) != option.default and _TAKEN_BY[option.name] != form:
            name = option.name.replace("_", "-")
            raise ConfigError(f"--{name} goes with --format {_TAKEN_BY[option.name]} only.")
    pairs = ChosenPairs(home, choice)
    if form == "hf":
        check_folder(path)
        return export_hf(pairs, path)
    if form == "kilt":
        with wikipedia_pages(options.wikipedia_pages, home) as pages:
            return export_lines(KiltFormat(pages, slots=options.slots), pairs, path)
    if form == "qampari":
        return export_lines(QampariFormat(split=options.split, min_answers=options.min_answers), pairs, path)
    return export_lines(PaqFormat(metadata=options.metadata), pairs, path)
