"""The page of a gap analysis."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from factmill.reporting.page import TRAINING_DATA, Figure, Section, Unfolded, render_page
from factmill.reporting.plots import bars, curves
from factmill.reporting.tables import Table

if TYPE_CHECKING:
    from factmill.analysis import Analysis

_MOST_BARS = 20
_MOST_ROWS = 50
_MOST_QUESTIONS = 200
_LISTS = f"Of the first {_MOST_BARS} lines of what to add next; each mistake is in one list only."


def gap_page(analysis: "Analysis", tables: Sequence[Table]) -> str:
    """Return the page; the files beside it hold all rows of the tables that it shortens."""
    result = analysis.assessed.evaluation
    by_name = {table.name: table for table in tables}
    gaps = [by_name.pop(name) for name in ("predicates", "next", "clusters")]
    lead = (
        f"{result.n_questions:,} questions of {result.questions}, answered by {result.system}. A mistake has no right"
        f" answer among the first {analysis.k} by EM_norm: there are {analysis.gaps.n_mistakes:,}, and staged facts"
        f" answer {analysis.gaps.n_mendable:,} of them."
    )
    sections = [
        Section("How many are right", tables=tuple(by_name.values()), figures=tuple(_risk(analysis))),
        Section("Which facts would help", tables=tuple(map(_shortened, gaps[:2])), figures=tuple(_bars(analysis))),
        Section("What the mistakes have in common", tables=(_shortened(gaps[2]),)),
        Section("Mistakes that staged facts would mend", (_LISTS,), lists=tuple(_lists(analysis))),
    ]
    return render_page("Where the answers are missing", lead, sections, _made(analysis))


def _risk(analysis: "Analysis") -> list[Figure]:
    risk = analysis.assessed.evaluation.risk
    if risk is None:
        return []
    what = "Share of wrong answers if only the surest are given"
    svg = curves({"wrong": (risk.coverage, risk.risk)}, what, "answered %", "wrong %")
    return [Figure(svg, f"{what}. Area under the curve: {risk.area:.2f} %.")]


def _bars(analysis: "Analysis") -> list[Figure]:
    rows = analysis.gaps.rows[:_MOST_BARS]
    if not rows:
        return []
    what = "Questions that each predicate answers"
    names = [f"{row.label or row.way.predicate} ({row.way})" for row in rows]
    parts = {
        "mistakes": [float(row.n_mistakes) for row in rows],
        "right": [float(row.n_questions - row.n_mistakes) for row in rows],
    }
    return [Figure(bars(names, parts, what, "questions"), f"{what}; those with the most mistakes.")]


def _lists(analysis: "Analysis") -> list[Unfolded]:
    questions = analysis.assessed.questions
    found = []
    for step in analysis.gaps.steps[:_MOST_BARS]:
        items = [
            f"{questions.questions[number]} → {questions.gold[number][0]}" for number in step.numbers[:_MOST_QUESTIONS]
        ]
        if step.n_mended > _MOST_QUESTIONS:
            items.append(f"… {step.n_mended - _MOST_QUESTIONS:,} more are in matches.parquet.")
        name = f"{step.way} {step.label}".strip()
        found.append(Unfolded(f"{name}: {step.n_mended:,}", tuple(items)))
    return found


def _shortened(table: Table) -> Table:
    if len(table.rows) <= _MOST_ROWS:
        return table
    note = f"{table.note} The first {_MOST_ROWS} of {len(table.rows):,} rows; all are in {table.name}.csv."
    return Table(table.name, table.title, table.columns, table.rows[:_MOST_ROWS], note.strip())


def _made(analysis: "Analysis") -> list[tuple[str, object]]:
    result = analysis.assessed.evaluation
    linked = ", ".join(f"{source} {n:,}" for source, n in analysis.gaps.n_linked.items())
    made: list[tuple[str, object]] = [
        ("question file, SHA-256", result.questions_sha256),
        ("questions whose subject is staged", linked),
        ("questions that a staged fact answers", f"{analysis.gaps.n_answered:,}"),
    ]
    if result.corpus_version is not None:
        made += [("corpus version", result.corpus_version), ("shards", ", ".join(map(str, result.shards)))]
    if result.encoder:
        made += [("encoder", result.encoder), ("training data", TRAINING_DATA)]
    if result.view:
        seen = ". It has seen these questions: an oracle, which no real system could be" if result.is_oracle else ""
        made.append(("view", f"{result.view}{seen}"))
    return made
