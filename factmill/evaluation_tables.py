"""The tables of an evaluation, for a terminal, for files and for a page."""

from collections.abc import Iterator

from factmill.evaluate import Evaluation
from factmill.reporting.tables import Table

_COVERAGES = (10, 25, 50, 75, 100)


def evaluation_tables(result: Evaluation) -> list[Table]:
    """Return the tables that there is something for."""
    return list(_tables(result))


def _tables(result: Evaluation) -> Iterator[Table]:
    yield _scores(result)
    if causes := result.causes:
        rows = (
            ("no pair of the corpus has the answer first", causes.n_not_held),
            ("a pair has it, but none of the first 50", causes.n_not_found),
            ("one of the first 50 has it, but not the first", causes.n_ranked_below),
        )
        share = 100 / max(1, causes.n_mistakes)
        yield Table(
            "causes",
            "Why the first answer is wrong",
            ("because", "questions", "% of mistakes"),
            tuple((name, n, n * share) for name, n in rows),
        )
    if result.overlap:
        rows_of_groups = tuple((group.name, group.n_questions, group.em_1, group.em_5) for group in result.overlap)
        yield Table("overlap", "Overlap with the imported base", ("group", "questions", "EM-1", "EM-5"), rows_of_groups)
    if risk := result.risk:
        yield Table(
            "risk",
            "If only the surest answers are given",
            ("answered %", "wrong %"),
            tuple((coverage, risk.risk_at(coverage)) for coverage in _COVERAGES),
            f"The area under the whole curve is {risk.area:.2f} %.",
        )
    yield from _published(result)


def _scores(result: Evaluation) -> Table:
    columns = ("first", "right", "EM", "names", "dates", "amounts", "EM_norm")
    rows = tuple((at.k, at.n_right, at.em, at.names, at.dates, at.amounts, at.em_norm) for at in result.at)
    note = "EM and what other names, dates and amounts add to it make EM_norm."
    if not result.has_names:
        note += " It knew no other names: they come from what is staged."
    return Table(
        "scores", f"{result.questions}, {result.n_questions:,} questions: {result.system}", columns, rows, note
    )


def _published(result: Evaluation) -> Iterator[Table]:
    published = result.published
    if kilt := published.kilt:
        rows = [("accuracy, EM, F1, ROUGE-L", *map(_percent, kilt.answer))]
        if published.has_pages:
            rows.append(("the same with the right pages (KILT-…)", *map(_percent, kilt.kilt)))
        yield Table("kilt", "KILT: answers", ("", "accuracy", "EM", "F1", "ROUGE-L"), tuple(rows))
        if published.has_pages:
            found = [("R-precision", _percent(kilt.r_precision))]
            for name, by_k in (("precision", kilt.precision), ("recall", kilt.recall), ("success", kilt.success)):
                found += [(f"{name}@{k}", _percent(value)) for k, value in by_k.items()]
            yield Table("kilt_pages", "KILT: pages", ("metric", "%"), tuple(found))
    if sets := published.qampari:
        values = (sets.precision, sets.recall, sets.f1, sets.share_good_f1, sets.share_good_recall)
        columns = ("precision", "recall", "F1", "F1 ≥ 0.5", "recall ≥ 0.8")
        yield Table("qampari", "QAMPARI: sets of answers", columns, (tuple(map(_percent, values)),))
    if published.answer_recall is not None:
        rows_of_recall = tuple((f"ARecall@{k}", _percent(value)) for k, value in published.answer_recall.items())
        yield Table("answer_recall", "QAMPARI: answers among the retrieved", ("metric", "%"), rows_of_recall)


def _percent(share: float) -> float:
    return 100 * share
