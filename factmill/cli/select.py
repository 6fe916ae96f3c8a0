"""`factmill select`: which predicates are worth asking about."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmill.cli.options import HomeOption, JsonOption, PresetOption, open_home
from factmill.cli.output import note, print_json, print_table, say
from factmill.plain import harmless

if TYPE_CHECKING:
    import pyarrow as pa

    from factmill.home import Home
    from factmill.names import ShardName
    from factmill.presets import Preset
    from factmill.selection import SelectedPredicate

_DISPENSABLE = ("in", "ambiguous", "linked", "popularity", "most", "labelled", "questions")
"""Columns that a narrow terminal does without."""
_MEASURES = {
    "sitelinks": "sitelinks, wikis with a page about it",
    "source": "source, what the source counts (IMDb: votes)",
    "statements": "statements about it and pointing to it",
}


def select(
    source: Annotated[str | None, typer.Option(help="One source only.", show_default=False)] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Also predicates without a template.")] = False,
    preset: PresetOption = None,
    explain: Annotated[
        str | None,
        typer.Option(help="Explain the figures of one predicate or shard, such as P161.", show_default=False),
    ] = None,
    questions: Annotated[
        list[Path] | None,
        typer.Option(
            "--questions",
            help="Also count over what this file of questions mentions; may be repeated.",
            show_default=False,
        ),
    ] = None,
    gaps: Annotated[
        Path | None,
        typer.Option(help="The run folder of `factmill gaps`: count what could be repaired.", show_default=False),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which predicates are worth asking about, and why the others are not.

    Example: factmill select --explain P161
    """
    from factmill.presets import find_preset
    from factmill.repairs import read_repairs
    from factmill.selection import check_anything_left, select_staged

    if explain and (source or everything):
        raise typer.BadParameter("--explain goes without --source and --everything.")
    opened = open_home(home)
    chosen = find_preset(preset) if preset else None
    linked = _linked(opened, questions, source) if questions else None
    repairs = read_repairs(gaps) if gaps else None
    if explain:
        _explain(opened, explain, chosen, linked, repairs, as_json=as_json)
        return
    rows = select_staged(opened, source, linked=linked, repairs=repairs, preset=chosen)
    if as_json:
        print_json(rows)
    else:
        _print_rows(rows, chosen, everything=everything)
    check_anything_left(rows)
    if not as_json:
        say("Next: factmill augment --all, or factmill augment SHARD")


def _print_rows(rows: "list[SelectedPredicate]", preset: "Preset | None", *, everything: bool) -> None:
    present = [row for row in rows if row.is_staged and (everything or row.has_template)]
    shown = [row for row in present if everything or preset is None or not preset.leaves_out(row.shard)]
    if shown:
        names, cells = zip(*_columns(shown), strict=True)
        print_table(names, list(zip(*cells, strict=True)), _DISPENSABLE)
    if measures := _measures(shown):
        say(f"Popularity is of the subject in the middle: {'; '.join(_MEASURES[name] for name in measures)}.")
    for row in shown:
        if (row.reason or row.remark) and not (preset and preset.leaves_out(row.shard)):
            say(f"{row.shard} is {_verdict(row)}.")
    for row in rows:
        if not row.is_staged:
            say(f"{row.shard}: in the preset, but {row.reason}.")
    if hidden := sum(row.is_staged for row in rows) - len(shown):
        why = "are not in the preset" if preset and preset.predicates else "have no template"
        say(f"{hidden:,} more predicates {why}: --everything shows them.")


def _columns(rows: "list[SelectedPredicate]") -> list[tuple[str, list[Any]]]:
    """Return the columns to show; those about questions and gaps only where there is something in them."""
    columns: list[tuple[str, list[Any]]] = [
        ("shard", [str(row.shard) for row in rows]),
        ("facts", [row.n_facts for row in rows]),
        ("questions", [row.n_keys for row in rows]),
        ("mean", [row.mean_answers for row in rows]),
        ("most", [row.max_answers for row in rows]),
        ("labelled", [f"{row.labelled_share:.0%}" for row in rows]),
        ("ambiguous", [f"{row.ambiguous_share:.0%}" for row in rows]),
        ("popularity", [row.popularity for row in rows]),
    ]
    if len(_measures(rows)) > 1:
        columns.append(("in", [row.popularity_measure for row in rows]))
    if any(row.linked_share is not None for row in rows):
        columns.append(("linked", [row.n_linked_subjects for row in rows]))
        columns.append(("linked mean", [row.linked_mean_answers for row in rows]))
    if any(row.n_repairs is not None for row in rows):
        columns.append(("repairs", [row.n_repairs for row in rows]))
    if any(not row.has_template for row in rows):
        columns.append(("template", ["yes" if row.has_template else "no" for row in rows]))
    columns.append(("verdict", ["dropped" if row.reason else "kept" for row in rows]))
    return columns


def _measures(rows: "list[SelectedPredicate]") -> list[str]:
    return sorted({row.popularity_measure for row in rows if row.popularity_measure})


def _verdict(row: "SelectedPredicate") -> str:
    if row.reason:
        return f"dropped: {row.reason}"
    return f"kept: {row.remark}" if row.remark else "kept"


def _linked(home: "Home", files: list[Path], source: str | None) -> "dict[str, pa.Table]":
    """Return what the questions mention; say of which sources that is nothing."""
    from factmill.question_links import linked_by_source
    from factmill.questions import read_questions

    found, silent = linked_by_source(home, [read_questions(file) for file in files], source)
    for name in silent:
        note(f"Note: the questions mention nothing that is staged from {name}; it is counted without them.")
    return found


def _explain(
    home: "Home",
    text: str,
    preset: "Preset | None",
    linked: "dict[str, pa.Table] | None",
    repairs: "dict[ShardName, int] | None",
    *,
    as_json: bool,
) -> None:
    from factmill.explained import explain_predicate, told_figures
    from factmill.thresholds import Thresholds

    rows = explain_predicate(home, text, linked=linked, repairs=repairs, preset=preset)
    if as_json:
        print_json(rows)
        return
    thresholds = preset.thresholds if preset else Thresholds.of_settings()
    for row in rows:
        say(f"{row.shard} is {_verdict(row)}")
        for word, meaning in told_figures(row, thresholds):
            say(harmless(f"  {word:<12}{meaning}"))
