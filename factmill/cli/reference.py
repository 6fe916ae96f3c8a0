"""Writes docs/cli.md from the commands' own help: `python -m factmill.cli.reference > docs/cli.md`."""

from collections.abc import Iterator
from typing import Any

import typer.main
from typer.core import TyperGroup

from factmill.cli.app import app


def reference() -> str:
    """Return the page."""
    intro = "# Command line\n\nMade from `--help` by `make docs`; a test compares the two.\n"
    return intro + "".join(_sections())


def _sections() -> Iterator[str]:
    group = typer.main.get_command(app)
    for words, command in _walk(group, ["factmill"]):
        context = typer.Context(command, info_name=" ".join(words), terminal_width=100, max_content_width=100)
        yield f"\n## {' '.join(words)}\n\n```text\n{command.get_help(context).strip()}\n```\n"


def _walk(command: Any, words: list[str]) -> Iterator[tuple[list[str], Any]]:
    yield words, command
    if isinstance(command, TyperGroup):
        for name in sorted(command.commands):
            yield from _walk(command.commands[name], [*words, name])


if __name__ == "__main__":
    print(reference(), end="")
