"""What the corpus holds of a question set: the answers at all, and what an imported base says of it word for word."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.corpus_version import CorpusVersion
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import QuestionSet
from factmill.scoring.exact import normalise_answer
from factmill.settings import settings
from factmill.views import is_milled
from factmill.warehouse import Warehouse

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Held:
    """For each question, what some pair holds; every array has a row a question."""

    answer: Flags
    """Some pair has a gold answer as its first."""
    base_answer: Flags
    """Some pair of an imported base has."""
    base_question: Flags
    """An imported base asks this very question."""


def held_by_corpus(home: Home, version: CorpusVersion, shards: Sequence[ShardName], questions: QuestionSet) -> Held:
    """Look through all pairs of some shards."""
    with home.scratch() as scratch, Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        files = [[file.path for file in version.files(shard)] for shard in shards]
        warehouse.pairs_view("corpus_rows", ["question", "answer"], files)
        base = [number for number, shard in enumerate(shards) if not is_milled(shard)]
        warehouse.load("base_shards", pa.table({"shard_number": pa.array(base, pa.int32())}))
        warehouse.load("gold_forms", _gold_forms(questions))
        numbers = pa.array(range(len(questions)), pa.int32())
        warehouse.load("asked_questions", pa.table({"number": numbers, "question": list(questions.questions)}))
        for name in ("asked_form", "normal_answer", "held_answers", "held_questions"):
            warehouse.run(name)
        answers = warehouse.rows("held_answers")
        return Held(
            answer=_flags([number for number, _ in answers], len(questions)),
            base_answer=_flags([number for number, is_in_base in answers if is_in_base], len(questions)),
            base_question=_flags([number for (number,) in warehouse.rows("held_questions")], len(questions)),
        )


def _gold_forms(questions: QuestionSet) -> pa.Table:
    rows = [
        (number, form)
        for number, answers in enumerate(questions.gold)
        for form in sorted(set(map(normalise_answer, answers)))
    ]
    numbers, forms = zip(*rows, strict=True)
    return pa.table({"question": pa.array(numbers, pa.int32()), "form": pa.array(forms, pa.string())})


def _flags(numbers: Sequence[int], n_questions: int) -> Flags:
    flags = np.zeros(n_questions, np.bool_)
    flags[list(numbers)] = True
    return flags
