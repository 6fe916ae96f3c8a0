"""The tables of a gap analysis, for a terminal, for files and for a page."""

from collections.abc import Iterator, Sequence

from factmill.clusters import Cluster
from factmill.gaps import Gap, Gaps
from factmill.reporting.tables import Table
from factmill.thesis import thesis_gap


def predicate_table(question_set: str, gaps: Gaps, k: int) -> Table:
    """Return what each predicate answers, with the thesis' figures where it has some."""
    rows = tuple((*_ours(row), *_theirs(question_set, row)) for row in gaps.rows)
    columns = ["predicate", "label", "questions", "mistakes", "EM_norm", "answers", "state"]
    theirs = ["thesis: questions", "mistakes (thesis)", "EM (thesis)", "answers (thesis)"]
    if all(row[len(columns)] is None for row in rows):
        rows = tuple(row[: len(columns)] for row in rows)
        theirs = []
    note = (
        f"A mistake has no right answer among the first {k} by EM_norm. Answers: how many a subject has on average."
        " ← asks for the subject of a fact, → takes a qualifier as the answer."
    )
    return Table("predicates", "Predicates that hold the answer", (*columns, *theirs), rows, note)


def step_table(gaps: Gaps, questions: Sequence[str]) -> Table:
    """Return what to add next."""
    rows = tuple(
        (str(step.way), step.label, step.n_mended, step.n_mended_so_far, step.advice, questions[step.numbers[0]])
        for step in gaps.steps
    )
    note = "Each line counts the mistakes that no line above it could mend."
    columns = ("predicate", "label", "could mend", "so far", "next", "such as")
    return Table("next", "What to add next", columns, rows, note)


def cluster_table(clusters: list[Cluster]) -> Table:
    """Return the clusters of mistakes."""
    return Table(
        "clusters",
        "Mistakes that are asked alike",
        ("asked as", "mistakes", "examples", "predicate", "% of them", "wording"),
        tuple(map(_cluster_row, clusters)),
    )


def _cluster_row(cluster: Cluster) -> tuple[object, ...]:
    wording = f"{cluster.wording} (is there)" if cluster.is_in_template else cluster.wording
    shard = str(cluster.predicate) if cluster.predicate else None
    share = round(100 * cluster.predicate_share) if cluster.predicate else None
    return (cluster.name, cluster.size, " | ".join(cluster.examples), shard, share, wording)


def _ours(row: Gap) -> tuple[object, ...]:
    return (str(row.way), row.label, row.n_questions, row.n_mistakes, row.em, row.cardinality, str(row.state))


def _theirs(question_set: str, row: Gap) -> Iterator[object]:
    found = None if row.way.inverse or row.way.path else thesis_gap(question_set, row.way.source, row.label)
    if found is None:
        yield from (None,) * 4
    else:
        yield from (found.n_questions, found.n_mistakes, found.em, found.cardinality)
