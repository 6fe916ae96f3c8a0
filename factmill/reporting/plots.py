"""Plots as SVG, to stand inside a page. The same figures give the same bytes."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 8.0
_BAR_HEIGHT = 0.3
_BLUE, _ORANGE, _GREY = "#2a6f97", "#e07a1f", "#8a8a8a"


def bars(names: Sequence[str], parts: Mapping[str, Sequence[float]], what: str, unit: str) -> Markup:
    """Return bars of several parts each, one below the other; `what` says to those who cannot see it what it shows."""
    with _plot(what, len(names)) as (axes, drawn):
        left = [0.0] * len(names)
        for (part, values), color in zip(parts.items(), (_BLUE, _ORANGE, _GREY), strict=False):
            axes.barh(range(len(names)), values, left=left, label=part, color=color, height=0.7)
            left = [start + value for start, value in zip(left, values, strict=True)]
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel(unit)
        # Above the bars, which may be anywhere.
        axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=len(parts))
    return drawn[0]


def intervals(
    names: Sequence[str], middles: Sequence[float], lows: Sequence[float], highs: Sequence[float], what: str, unit: str
) -> Markup:
    """Return a point with its interval a row, beside a line at nought."""
    with _plot(what, len(names)) as (axes, drawn):
        below = [middle - low for middle, low in zip(middles, lows, strict=True)]
        above = [high - middle for middle, high in zip(middles, highs, strict=True)]
        axes.axvline(0, color=_GREY, linewidth=1)
        axes.errorbar(middles, range(len(names)), xerr=[below, above], fmt="o", color=_BLUE, capsize=3)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel(unit)
    return drawn[0]


def curves(lines: Mapping[str, tuple[Sequence[float], Sequence[float]]], what: str, x: str, y: str) -> Markup:
    """Return lines through points, each with a name."""
    with _plot(what, 10) as (axes, drawn):
        for (name, (across, up)), color in zip(lines.items(), (_BLUE, _ORANGE, _GREY), strict=False):
            axes.plot(across, up, label=name, color=color)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False)
    return drawn[0]


def points(names: Sequence[str], across: Sequence[float], up: Sequence[float], what: str, x: str, y: str) -> Markup:
    """Return named points; what lies across grows by powers of ten."""
    with _plot(what, 12) as (axes, drawn):
        axes.axhline(0, color=_GREY, linewidth=1)
        axes.scatter(across, up, color=_BLUE, s=18)
        for name, at, height in zip(names, across, up, strict=True):
            axes.annotate(name, (at, height), fontsize=8, xytext=(4, 3), textcoords="offset points")
        axes.set_xscale("symlog")
        # Powers of ten would be written as formulas, which nothing here reads.
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel(x)
        axes.set_ylabel(y)
    return drawn[0]


@contextmanager
def _plot(what: str, n_rows: int) -> "Iterator[tuple[Axes, list[Markup]]]":
    """Give axes to draw on, and a list that holds the SVG afterwards."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Names come from data: no formulas in them. Text stays text, and ids go by content, not by chance.
    with mpl.rc_context():
        mpl.rcParams["svg.fonttype"] = "none"
        mpl.rcParams["svg.hashsalt"] = what
        mpl.rcParams["text.parse_math"] = False
        mpl.rcParams["font.family"] = "sans-serif"
        figure = Figure(figsize=(_WIDTH, 1 + _BAR_HEIGHT * max(3, n_rows)), layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        drawn: list[Markup] = []
        yield axes, drawn
        text = io.StringIO()
        # Without what would differ from run to run.
        figure.savefig(text, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    # Names of groups would stand on a page as often as there are plots, and inside a page no name spaces are needed.
    svg = re.sub(' xmlns(?::[a-z]+)?="[^"]*"', "", re.sub('<g id="[^"]*"', "<g", text.getvalue()))
    drawn.append(Markup('<svg role="img" aria-label="{}"').format(escape(what)) + Markup(svg[svg.index("<svg") + 4 :]))  # noqa: S704
