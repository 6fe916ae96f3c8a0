"""Evaluation: exact match of what the corpus answers, as PAQ counts it."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from factmill.errors import ConfigError
from factmill.home import Home, write_atomically
from factmill.names import ShardName
from factmill.questions import QuestionSet
from factmill.results import Hit
from factmill.search import Retriever
from factmill.views import is_oracle

DEPTH = 5


@dataclass(frozen=True)
class Evaluation:
    """How many questions of a set are answered right; em_1 and em_5 are percentages."""

    questions: str
    n_questions: int
    n_right_at_1: int
    n_right_at_5: int
    em_1: float
    em_5: float
    shards: list[ShardName]
    corpus_version: int | None
    encoder: str
    view: str | None
    is_oracle: bool
    """Whether the view has seen some of these questions."""


def evaluate(
    home: Home,
    questions: QuestionSet,
    shards: Iterable[ShardName] | None = None,
    output: Path | None = None,
    view: str | None = None,
) -> Evaluation:
    """Ask every question and count the right answers; write what was retrieved to a file if one is given."""
    if output and (output.is_dir() or not output.parent.is_dir()):
        raise ConfigError(f"cannot write to {output}: name a file in a folder that exists.")
    retriever = Retriever(home, shards, exact=True, view=view)
    ranking = retriever.search(retriever.encode(questions.questions), DEPTH)
    marked = retriever.mark(ranking, questions.gold)
    if output:
        lines = retrieved_lines(questions, retriever.hits(ranking))
        write_atomically(output, "".join(lines))
    at_1, at_5 = int(marked.right_at(1).sum()), int(marked.right_at(DEPTH).sum())
    return Evaluation(
        questions=questions.name,
        n_questions=len(questions),
        n_right_at_1=at_1,
        n_right_at_5=at_5,
        em_1=100 * at_1 / len(questions),
        em_5=100 * at_5 / len(questions),
        shards=retriever.shards,
        corpus_version=retriever.corpus_version,
        encoder=f"{retriever.encoder.name} {retriever.encoder.digest}",
        view=view,
        is_oracle=bool(retriever.view and is_oracle(home, retriever.view, questions.questions)),
    )


def retrieved_lines(questions: QuestionSet, hits: list[list[Hit]]) -> Iterator[str]:
    """Yield a line a question in RePAQ's form, which PAQ's own evaluation reads."""
    for question, gold, ranks in zip(questions.questions, questions.gold, hits, strict=True):
        retrieved = [
            {"question": hit.question, "answer": hit.answers, "score": hit.score, "shard": str(hit.shard)}
            for hit in ranks
        ]
        row = {"input_qa": {"question": question, "answer": list(gold)}, "retrieved_qas": retrieved}
        yield json.dumps(row, ensure_ascii=True) + "\n"
