"""The tables of an ablation on a terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from factmill.cli.output import plural, print_table, say
from factmill.plain import harmless

if TYPE_CHECKING:
    from factmill.ablation.result import Ablation, Change, Score, Table, Variant

_MOST_HARM_SHOWN = 5
Row = dict[str, Any]


def print_ablation(result: "Ablation") -> None:
    """Print the tables, the worst harm, and what was chosen."""
    from factmill.views import FULL

    for table in result.tables:
        say(f"{table.questions}, {table.title}: {table.n_questions:,} questions")
        rows = [_whole_row(table, variant) for variant in table.variants]
        dispensable = [f"EM-{score.k}\n{what}" for score in table.variants[0].scores for what in ("95 %", "p")]
        print_table(list(rows[0]), [list(row.values()) for row in rows], dispensable)
        if table.leaves_out:
            _say_harm(table)
    _say_selection(result)
    if result.curing is not None:
        _print_cures(result)
    say("delta and 95 % (paired bootstrap) in points; p of an exact test, corrected by Holm. See docs/ablation.md.")
    for view in result.experiment.views:
        if view != FULL:
            say(f"Only the view {view} of milled shards was searched in lines that name it.{_known(result, view)}")


def print_briefly(result: "Ablation") -> None:
    """Print the tables with what the deepest k gains and loses."""
    for table in result.tables:
        rows = [_brief_row(table, variant) for variant in table.variants]
        print_table(list(rows[0]), [list(row.values()) for row in rows])
        deepest = table.variants[0].scores[-1].k
        say(f"{table.n_questions:,} questions. The columns from gained to p are of EM-{deepest}; docs/ablation.md.")


def _whole_row(table: "Table", variant: "Variant") -> Row:
    row = {name.replace(" ", "\n"): value for name, value in _head(table, variant).items()}
    for score in variant.scores:
        row[f"EM-{score.k}"] = score.em
        found = _differences(table, score)
        row |= {f"EM-{score.k}\n{name}": found[name] for name in ("delta", "95 %", *table.words, "p")}
    return row


def _brief_row(table: "Table", variant: "Variant") -> Row:
    scores = {f"EM-{score.k}": score.em for score in variant.scores}
    found = _differences(table, variant.scores[-1])
    return _head(table, variant) | scores | {name: found[name] for name in (*table.words, "95 %", "p")}


def _head(table: "Table", variant: "Variant") -> Row:
    name = f"{variant.name} (oracle)" if variant.is_oracle else variant.name
    return {"corpus": name, f"pairs {'left out' if table.leaves_out else 'added'}": variant.n_pairs}


def _differences(table: "Table", score: "Score") -> Row:
    gained, lost = table.words
    if score.delta is None:
        return {gained: None, lost: None, "delta": "", "95 %": "", "p": ""}
    found = score.delta.statistics
    return {
        gained: found.n_gained,
        lost: found.n_lost,
        "delta": f"{found.points:+5.2f}",
        "95 %": f"{found.low:+5.2f} {found.high:+5.2f}",
        "p": f"{score.delta.p_holm:.1g}",
    }


def _say_harm(table: "Table") -> None:
    """Name a few questions that a shard spoils, and the pairs that displaced the right ones."""
    for variant, change in list(_harm(table))[:_MOST_HARM_SHOWN]:
        pair = change.displaced_by[0]
        text = f'{change.question}: "{pair.question}" → {pair.answer} ({pair.shard}) is in the place of what is right'
        say(f"  {harmless(text)}; {harmless(variant.name)} has it.")


def _harm(table: "Table") -> "Iterator[tuple[Variant, Change]]":
    for variant in table.variants:
        delta = variant.scores[-1].delta
        for number in delta.gained if delta else ():
            if variant.changes[number].displaced_by:
                yield variant, variant.changes[number]


def _say_selection(result: "Ablation") -> None:
    if result.selection is None:
        return
    say(f"Chosen, {result.selection.rule}: {', '.join(map(str, result.selection.chosen)) or 'nothing'}.")
    if n := result.selection.n_shared_questions:
        say(f"{n:,} {plural('question', n)} of the report took part in the choice.")


def _print_cures(result: "Ablation") -> None:
    rows = [
        (one.shard, one.cure, one.harmed, one.harmed_cured, one.helped, one.helped_cured) for one in result.curing or ()
    ]
    say("Cures, chosen on the even half of the questions; what they did is counted on the odd half:")
    print_table(["shard", "cure", "harmed", "cured", "helped", "cured"], rows)


def _known(result: "Ablation", view: str) -> str:
    variants = [variant for table in result.tables for variant in table.variants if variant.is_oracle]
    known = any(part.view == view for variant in variants for part in variant.parts)
    return " It has seen these questions: an oracle, which no real system could be." if known else ""
