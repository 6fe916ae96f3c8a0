"""The analysis of an evaluation: gaps, clusters of mistakes and a sheet of them, in the folder of a run."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from factmill.clusters import Cluster, find_clusters
from factmill.encoders import Encoder
from factmill.error_sheet import write_error_sheet
from factmill.errors import ConfigError
from factmill.evaluate import Assessed
from factmill.evaluation_tables import evaluation_tables
from factmill.gap_page import gap_page
from factmill.gap_tables import cluster_table, predicate_table, step_table
from factmill.gaps import Gaps, find_gaps, link_subjects
from factmill.home import Home, write_atomically
from factmill.manifest import staged_sources
from factmill.mistakes import Mistake, RetrievedPair
from factmill.named_entities import named_entities
from factmill.plain import plain
from factmill.rejects import run_name
from factmill.repairs import METRICS
from factmill.reporting.tables import write_tables
from factmill.scoring.norm.judge import Part

_PARTS: dict[Part, Literal["name", "amount", "date"]] = {Part.NAME: "name", Part.AMOUNT: "amount", Part.DATE: "date"}


@dataclass(frozen=True)
class Analysis:
    """What an evaluation's mistakes have in common; a mistake has no right answer among the first `k` by EM_norm."""

    assessed: Assessed
    k: int
    gaps: Gaps
    clusters: list[Cluster]
    mistakes: list[Mistake]


def sources_to_search(home: Home, wanted: Sequence[str] = ()) -> list[str]:
    """Return the sources of which facts are staged, or those of them that are wanted."""
    staged = staged_sources(home)
    if missing := sorted(set(wanted) - set(staged)):
        raise ConfigError(f"nothing is staged from {', '.join(missing)}. There is: {', '.join(staged) or 'nothing'}.")
    if not staged:
        raise ConfigError(
            f"nothing is staged in {home.root}, so there are no facts to look in. Run `factmill stage …`."
        )
    return [source for source in staged if source in wanted or not wanted]


def analyse(
    home: Home, assessed: Assessed, k: int, encoder: Encoder, sources: Sequence[str], ner: str | None = None
) -> Analysis:
    """Find the facts of some sources that would mend mistakes, and what mistakes have in common.

    A spaCy model (`ner`) sees names in mistakes that no staged source knows.
    """
    asked = assessed.questions.questions
    right = assessed.is_right(k)
    linked = link_subjects(home, sources, asked)
    gaps = find_gaps(home, right, assessed.accepted, linked)
    wrong = np.flatnonzero(~right).tolist()
    mentions = [[mention for found in linked.values() for mention in found[number]] for number in wrong]
    if ner:
        named = named_entities([asked[number] for number in wrong], ner)
        mentions = [one + other for one, other in zip(mentions, named, strict=True)]
    places = {number: place for place, number in enumerate(wrong)}
    predicates = {places[number]: shard for number, shard in gaps.predicates.items()}
    clusters = find_clusters([asked[number] for number in wrong], mentions, encoder, predicates=predicates)
    # What exact match counts as wrong: what EM_norm forgives is a kind of mistake of its own.
    inexact = np.flatnonzero(~(assessed.parts[:, :k] == Part.EXACT).any(axis=1)).tolist()
    return Analysis(assessed, k, gaps, clusters, [_mistake(assessed, gaps, number) for number in inexact])


def _mistake(assessed: Assessed, gaps: Gaps, number: int) -> Mistake:
    answered = assessed.answered
    answers = answered.answers[number]
    asked = answered.asked[number] if answered.asked else ("",) * len(answers)
    parts = [Part(part) for part in assessed.parts[number, :5] if part != Part.WRONG]
    return Mistake(
        question=assessed.questions.questions[number],
        gold=assessed.questions.gold[number],
        retrieved=tuple(RetrievedPair(*pair) for pair in list(zip(asked, answers, strict=True))[:5]),
        part=_PARTS.get(parts[0]) if parts else None,
        is_gold_in_corpus=bool(assessed.held.answer[number]) if assessed.held else None,
        fact=gaps.predicates.get(number),
        was_fact_looked_for=True,
    )


def write_analysis(home: Home, analysis: Analysis, n_errors: int) -> Path:
    """Write tables, matches, the error sheet, metrics.json and report.html to a run folder; return the page."""
    folder = home.run(run_name("gaps"))
    questions = analysis.assessed.questions
    tables = [
        *evaluation_tables(analysis.assessed.evaluation),
        predicate_table(questions.name, analysis.gaps, analysis.k),
        step_table(analysis.gaps, questions.questions),
        cluster_table(analysis.clusters),
    ]
    try:
        folder.mkdir(parents=True)
        write_tables(folder, *tables)
        pq.write_table(matches_table(analysis), folder / "matches.parquet")
        if n_errors:
            write_error_sheet(folder / "errors.csv", analysis.mistakes, n_errors)
        metrics = {
            "evaluation": analysis.assessed.evaluation,
            "k": analysis.k,
            "sources": list(analysis.gaps.n_linked),
            "predicates": analysis.gaps.rows,
        }
        write_atomically(folder / METRICS, json.dumps(plain(metrics), ensure_ascii=False, indent=2) + "\n")
        write_atomically(folder / "report.html", gap_page(analysis, tables))
    except OSError as error:
        raise ConfigError(f"cannot write the analysis to {folder}: {error.strerror}.") from error
    return folder / "report.html"


def matches_table(analysis: Analysis) -> pa.Table:
    """Return every fact that answers a question, with the question and whether the system answered it."""
    questions = analysis.assessed.questions.questions
    right = analysis.assessed.is_right(analysis.k)
    tables = []
    for source, matches in analysis.gaps.matches.items():
        numbers = matches["question"].to_pylist()
        columns = {
            "source": pa.array([source] * len(numbers), pa.string()),
            "text": pa.array([questions[number] for number in numbers], pa.string()),
            "is_right": pa.array([bool(right[number]) for number in numbers], pa.bool_()),
        }
        for name, column in columns.items():
            matches = matches.append_column(name, column)
        tables.append(matches)
    return pa.concat_tables(tables)
