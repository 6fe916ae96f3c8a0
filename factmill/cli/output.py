"""Printing results: a table for people, JSON for machines."""

import dataclasses
import json
import sys
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import typer

from factmill.names import ShardName


def print_json(value: Any) -> None:
    """Print a result as one JSON document."""
    print(json.dumps(_plain(value), ensure_ascii=False, indent=2))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type | ShardName):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, ShardName | Path):
        return str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    return value


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows in columns; numbers are right-aligned. What comes from data is shown literally."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        is_number = bool(rows) and isinstance(rows[0][number], int | float)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    console = Console()
    if not console.is_terminal:
        # A file or a pipe has no width: never fold there.
        console = Console(width=10_000)
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        if line.strip():
            print(line.rstrip())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.2f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "".join(character if character.isprintable() else "\ufffd" for character in str(value))


def say(text: str) -> None:
    """Print a line for people."""
    typer.echo(text)


def note(text: str) -> None:
    """Print a line on standard error, where it disturbs nobody who reads the output."""
    print(text, file=sys.stderr)
