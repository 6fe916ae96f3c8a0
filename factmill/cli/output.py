"""Printing results: a table for people, JSON for machines."""

import json
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from factmill.plain import harmless, plain

_UNUSUAL = re.compile(r"[^\n -~]")

if TYPE_CHECKING:
    from rich.table import Table

    from factmill.changes import Change


def print_json(value: Any) -> None:
    """Print a result as one JSON document; characters that a terminal would obey are escaped."""
    print(_UNUSUAL.sub(_escaped, json.dumps(plain(value), ensure_ascii=False, indent=2)))


def _escaped(match: re.Match[str]) -> str:
    return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], dispensable: Sequence[str] = ()) -> None:
    """Print rows in columns; numbers are right-aligned, a tuple is one line an item. Data is shown literally.

    A terminal that is too narrow does without the dispensable columns, as many as it must, the first first.
    """
    from rich.console import Console
    from rich.measure import Measurement

    console = Console()
    if not console.is_terminal:
        # A file or a pipe has no width: never fold there.
        console = Console(width=10_000)
    table = _table(columns, rows)
    unlimited = console.options.update(width=10_000)
    for name in dispensable:
        if Measurement.get(console, unlimited, table).maximum <= console.width:
            break
        kept = [number for number, column in enumerate(columns) if column != name]
        columns, rows = [columns[number] for number in kept], [[row[number] for number in kept] for row in rows]
        table = _table(columns, rows)
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        if line.strip():
            print(line.rstrip())


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        values = [row[number] for row in rows if row[number] is not None]
        is_number = all(isinstance(value, int | float) for value in values)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold", no_wrap=is_number)
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    return table


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return "\n".join(map(_cell, value))
    if isinstance(value, float):
        return f"{value:,.2f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return harmless(value)


def told_change(change: "Change") -> str:
    """Say in one line what becomes of a pair."""
    before = f"{change.old_question} → {', '.join(change.old_answer or [])}"
    after = f"{change.question} → {', '.join(change.answer or [])}"
    return {"added": after, "retired": before}.get(change.kind, f"{before} becomes {after}")


def plural(word: str, n: int) -> str:
    """Return a word as it stands after a number."""
    return word if n == 1 else f"{word}s"


def say(text: str) -> None:
    """Print a line for people."""
    typer.echo(text)


def note(text: str) -> None:
    """Print a line on standard error, where it disturbs nobody who reads the output."""
    print(text, file=sys.stderr)


def say_oracle(view: str | None, *, is_oracle: bool) -> None:
    """Say that only a view was searched, and whether it knew the questions."""
    if view:
        known = " It has seen these questions: an oracle, which no real system could be." if is_oracle else ""
        say(f"Only the view {view} of the milled shards was searched.{known}")
