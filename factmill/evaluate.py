"""Evaluation: how good the answers of the corpus, or of any other system, are, and where the mistakes come from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from factmill.answered import DEPTH, Answered, ask_corpus
from factmill.corpus import Corpus
from factmill.held import Held, held_by_corpus
from factmill.home import Home
from factmill.names import ShardName
from factmill.predicted import PublishedScores, published_scores
from factmill.predictions import Predictions, read_predictions
from factmill.questions import QuestionSet
from factmill.retrieved_file import RetrievedFile
from factmill.risk import RiskCurve, risk_curve
from factmill.scoring.norm.judge import Accepted, Judge, Part, open_judge
from factmill.scoring.overlap import token_f1
from factmill.search import Retriever
from factmill.views import is_oracle

KS = (1, 5, DEPTH)


@dataclass(frozen=True)
class AtK:
    """How many questions have a right answer among the first k; the shares are percentages.

    `names`, `dates` and `amounts` are what EM_norm accepts beside exact matches.
    """

    k: int
    n_right: int
    em: float
    names: float
    dates: float
    amounts: float
    em_norm: float


@dataclass(frozen=True)
class Causes:
    """Where the mistakes at 1 (by EM) come from, in numbers of questions."""

    n_mistakes: int
    n_not_held: int
    """No pair of the corpus has the answer: a matter of coverage."""
    n_not_found: int
    """Some pair has it, but none of the first 50."""
    n_ranked_below: int
    """One of the first 50 has it, but not the first."""


@dataclass(frozen=True)
class Group:
    """Questions that overlap with the imported base in the same way."""

    name: str
    n_questions: int
    em_1: float
    em_5: float


@dataclass(frozen=True)
class Evaluation:
    """What a system's answers to a question set are worth."""

    questions: str
    questions_sha256: str
    n_questions: int
    system: str
    at: tuple[AtK, ...]
    f1: float
    """Of the first answers, as SQuAD and KILT count it; a percentage."""
    has_names: bool
    """Whether EM_norm knew other names; for that something must be staged."""
    causes: Causes | None
    overlap: tuple[Group, ...]
    risk: RiskCurve | None
    published: PublishedScores
    shards: tuple[ShardName, ...]
    corpus_version: int | None
    encoder: str | None
    view: str | None
    is_oracle: bool
    """Whether the view has seen some of these questions."""

    def em(self, k: int) -> float:
        """Return EM-k."""
        return next(one.em for one in self.at if one.k == k)


@dataclass(frozen=True)
class Assessed:
    """An evaluation and what it was made from, for whoever looks into the mistakes."""

    evaluation: Evaluation
    questions: QuestionSet
    answered: Answered
    accepted: Sequence[Accepted]
    parts: npt.NDArray[np.int8]
    """As what each answer is right (`Part`), a row a question and a column a rank."""
    held: Held | None

    def is_right(self, k: int) -> npt.NDArray[np.bool_]:
        """Tell of which questions one of the first k answers is right by EM_norm."""
        return np.asarray((self.parts[:, :k] != Part.WRONG).any(axis=1))


def evaluate(
    home: Home,
    questions: QuestionSet,
    shards: Iterable[ShardName] | None = None,
    output: Path | None = None,
    view: str | None = None,
    *,
    norm: bool = True,
) -> Assessed:
    """Ask every question and judge the answers; write what was retrieved to a file if one is given."""
    with RetrievedFile(output, questions) as file:
        retriever = Retriever(home, shards, exact=True, view=view)
        answered = ask_corpus(retriever, questions, file.add)
    held = held_by_corpus(home, retriever.corpus, retriever.shards, questions)
    judge = open_judge(home if norm else None)
    encoder = f"{retriever.encoder.name} {retriever.encoder.digest}"
    knew = bool(retriever.view and is_oracle(home, retriever.view, questions.questions))
    return _assess(
        questions, answered, judge, held, None, retriever.shards, retriever.corpus_version, encoder, view, knew
    )


def evaluate_predictions(home: Home | None, questions: QuestionSet, path: Path, *, norm: bool = True) -> Assessed:
    """Judge what a file says that another system answered; a home tells what its corpus holds, and names."""
    predictions = read_predictions(path, questions)
    version = Corpus(home).latest() if home else None
    shards = list(version.shards()) if version else []
    held = held_by_corpus(home, version, shards, questions) if home and version and shards else None
    judge = open_judge(home if norm else None)
    answered = Answered.of_predictions(predictions)
    number = version.number if version else None
    return _assess(questions, answered, judge, held, predictions, shards, number, None, None, False)


def _assess(
    questions: QuestionSet,
    answered: Answered,
    judge: Judge,
    held: Held | None,
    predictions: Predictions | None,
    shards: Sequence[ShardName],
    corpus_version: int | None,
    encoder: str | None,
    view: str | None,
    knew: bool,
) -> Assessed:
    accepted = judge.accepted(questions.questions, questions.gold)
    parts = judge.mark(accepted, answered.answers)
    exact = parts == Part.EXACT
    evaluation = Evaluation(
        questions=questions.name,
        questions_sha256=questions.sha256,
        n_questions=len(questions),
        system=answered.system,
        at=tuple(_at(k, parts) for k in KS),
        f1=100 * float(np.mean([token_f1(*pair) for pair in zip(answered.given, questions.gold, strict=True)])),
        has_names=judge.has_names,
        causes=_causes(exact, held) if held else None,
        overlap=_overlap(exact, held) if held else (),
        risk=_risk(answered, accepted),
        published=published_scores(questions, answered, predictions),
        shards=tuple(shards),
        corpus_version=corpus_version,
        encoder=encoder,
        view=view,
        is_oracle=knew,
    )
    return Assessed(evaluation, questions, answered, accepted, parts, held)


def _at(k: int, parts: npt.NDArray[np.int8]) -> AtK:
    """Count each question once, as the strictest of the parts by which one of its first answers is right."""
    right = np.where(parts[:, :k] == Part.WRONG, np.int8(127), parts[:, :k])
    best = right.min(axis=1, initial=127)
    exact, names, dates, amounts = (
        100 * float(np.mean(best == part)) for part in (Part.EXACT, Part.NAME, Part.DATE, Part.AMOUNT)
    )
    return AtK(k, int((best == Part.EXACT).sum()), exact, names, dates, amounts, exact + names + dates + amounts)


def _causes(exact: npt.NDArray[np.bool_], held: Held) -> Causes:
    wrong = ~exact[:, :1].any(axis=1)
    found = exact.any(axis=1)
    return Causes(
        n_mistakes=int(wrong.sum()),
        n_not_held=int((wrong & ~found & ~held.answer).sum()),
        n_not_found=int((wrong & ~found & held.answer).sum()),
        n_ranked_below=int((wrong & found).sum()),
    )


def _overlap(exact: npt.NDArray[np.bool_], held: Held) -> tuple[Group, ...]:
    groups = {
        "the base asks it": held.base_question,
        "the base only has its answer": held.base_answer & ~held.base_question,
        "neither": ~held.base_answer & ~held.base_question,
    }
    return tuple(_group(name, exact[which]) for name, which in groups.items())


def _group(name: str, exact: npt.NDArray[np.bool_]) -> Group:
    em_1, em_5 = (100 * float(exact[:, :k].any(axis=1).mean()) if len(exact) else 0.0 for k in (1, 5))
    return Group(name, len(exact), em_1, em_5)


def _risk(answered: Answered, accepted: Sequence[Accepted]) -> RiskCurve | None:
    if answered.confidence is None:
        return None
    right = [one.part_of(answer) is Part.EXACT for one, answer in zip(accepted, answered.given, strict=True)]
    return risk_curve(np.array(right, np.bool_), answered.confidence)
