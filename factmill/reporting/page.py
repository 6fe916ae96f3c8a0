"""The page of a run: report.html, one file that works offline, on a phone and on paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from factmill import __version__
from factmill.reporting.tables import Table, decimal

TRAINING_DATA = "The training data of all-MiniLM-L6-v2 lists PAQ and Natural Questions (train)."


@dataclass(frozen=True)
class Figure:
    """A plot and what it says."""

    svg: Markup
    caption: str


@dataclass(frozen=True)
class Unfolded:
    """A list that is folded away until somebody asks for it."""

    title: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A part of the page under one heading."""

    title: str
    texts: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    lists: tuple[Unfolded, ...] = ()


def render_page(title: str, lead: str, sections: Sequence[Section], made: Sequence[tuple[str, object]]) -> str:
    """Return the page. Everything from the data is escaped."""
    environment = Environment(
        loader=PackageLoader("factmill.reporting", "."), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["shown"] = shown
    return environment.get_template("page.html.j2").render(
        title=title, lead=lead, sections=sections, made=[("factmill", __version__), *made]
    )


def shown(cell: Any) -> str:
    """Return a cell as people read it.

    >>> shown(12345), shown(3.14159), shown(None)
    ('12,345', '3.14', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return decimal(cell)
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
