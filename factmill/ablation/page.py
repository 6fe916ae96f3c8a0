"""The page of an ablation."""

from collections.abc import Iterator

from factmill.ablation.result import Ablation, Cell, Change, Table, Variant
from factmill.names import ShardName
from factmill.reporting import tables as files
from factmill.reporting.page import TRAINING_DATA, Figure, Section, Unfolded, render_page
from factmill.reporting.plots import intervals, points
from factmill.templates import catalogue
from factmill.thesis import thesis_delta
from factmill.views import FULL

_MOST_BARS = 60
_MOST_QUESTIONS = 200
_LEAD = (
    "EM-k: the share of questions for which one of the first k retrieved pairs has the right answer first, as PAQ"
    " counts it. Deltas are points against the first line, with the 95 % interval of a paired bootstrap; p is of an"
    " exact test on the questions gained and lost, corrected by Holm for the lines of the table."
)


def ablation_page(ablation: Ablation) -> str:
    """Return the page."""
    sections = [_section(number, table) for number, table in enumerate(ablation.tables, 1)]
    if ablation.selection:
        chosen = ", ".join(map(str, ablation.selection.chosen)) or "nothing"
        seen = f"{ablation.selection.n_shared_questions:,} questions of the report took part in the choice."
        sections.insert(0, Section("What was chosen", (f"{ablation.selection.rule}: {chosen}. {seen}",)))
    return render_page("What each part of the corpus is worth", _LEAD, sections, _made(ablation))


def ablation_tables(ablation: Ablation) -> list[files.Table]:
    """Return the tables, with the thesis' deltas where it has the same predicates."""
    return [_table(number, table) for number, table in enumerate(ablation.tables, 1)]


def _section(number: int, table: Table) -> Section:
    text = f"{table.n_questions:,} questions."
    if any(variant.is_oracle for variant in table.variants):
        text += " What is marked as an oracle has seen these questions: no real system could be so good."
    changed = [variant for variant in table.variants if variant.changes]
    return Section(
        f"{table.questions}, {table.title}",
        (text,),
        (_table(number, table),),
        tuple(_figures(table)),
        tuple(unfolded for variant in changed for unfolded in _lists(table, variant)),
    )


def _table(number: int, table: Table) -> files.Table:
    rows = table.rows()
    columns = [name for name in rows[0] if not name.endswith((" low", " high", " p", " least"))]
    k = table.variants[0].scores[-1].k
    cells = [[row[name] for name in columns] + [_interval(row, k)] for row in rows]
    theirs = [_of_thesis(table, variant) for variant in table.variants]
    headings = [*columns, f"EM-{k} 95 %"]
    if any(delta is not None for delta in theirs):
        headings.append("thesis: EM-5_norm delta")
        cells = [[*row, delta] for row, delta in zip(cells, theirs, strict=True)]
    return files.Table(
        f"table_{number}", f"{table.questions}, {table.title}", tuple(headings), tuple(map(tuple, cells))
    )


def _interval(row: dict[str, Cell], k: int) -> str | None:
    low, high = row[f"EM-{k} low"], row[f"EM-{k} high"]
    return None if low is None or high is None else f"{low:+.2f}\N{NO-BREAK SPACE}…\N{NO-BREAK SPACE}{high:+.2f}"


def _of_thesis(table: Table, variant: Variant) -> float | None:
    if len(variant.parts) != 1 or table.leaves_out:
        return None
    (part,) = variant.parts
    return thesis_delta(table.questions, part.shard.source, _label(part.shard), is_linked=part.view != FULL)


def _label(shard: ShardName) -> str:
    template = catalogue().get(shard)
    return template.matter.label if template else ""


def _figures(table: Table) -> Iterator[Figure]:
    compared = [(variant, variant.scores[-1]) for variant in table.variants[: _MOST_BARS + 1]]
    told = [(variant, score.k, score.delta.statistics) for variant, score in compared if score.delta]
    if not told:
        return
    names = [variant.name for variant, _, _ in told]
    k = told[0][1]
    deltas = [found.points for _, _, found in told]
    what = f"{table.questions}: change of EM-{k} in points, with 95 % intervals"
    lows, highs = [found.low for _, _, found in told], [found.high for _, _, found in told]
    yield Figure(intervals(names, deltas, lows, highs, what, "points"), what)
    if not table.leaves_out:
        what = f"{table.questions}: change of EM-{k} against the pairs added"
        added = [float(variant.n_pairs) for variant, _, _ in told]
        yield Figure(points(names, added, deltas, what, "pairs added", "points"), what)


def _lists(table: Table, variant: Variant) -> Iterator[Unfolded]:
    score = variant.scores[-1]
    if score.delta is None:
        return
    for word, numbers in zip(table.words, (score.delta.gained, score.delta.lost), strict=True):
        items = tuple(_told(variant.changes[number]) for number in numbers[:_MOST_QUESTIONS])
        hidden = f", the first {_MOST_QUESTIONS}" if len(numbers) > _MOST_QUESTIONS else ""
        yield Unfolded(f"{variant.name}: {len(numbers):,} {word} (EM-{score.k}){hidden}", items)


def _told(change: Change) -> str:
    before, after = (
        f"{pairs[0].answer} ({pairs[0].shard})" if pairs else "nothing" for pairs in (change.before, change.after)
    )
    return f"{change.question} [{change.gold[0]}]: {before} → {after}"


def _made(ablation: Ablation) -> list[tuple[str, object]]:
    sets = {table.questions: table.questions_sha256 for table in ablation.tables}
    return [
        ("corpus version", ablation.corpus_version),
        ("base", ablation.base),
        *((f"{name}, SHA-256", digest) for name, digest in sets.items()),
        ("encoder", f"{ablation.encoder}. {TRAINING_DATA}"),
        ("views", ", ".join(ablation.experiment.views)),
        ("settings", ", ".join(f"{name} {value}" for name, value in ablation.settings.items())),
        ("cures", ", ".join(map(str, ablation.cures)) or "none"),
        ("shards", ", ".join(map(str, ablation.shards))),
    ]
