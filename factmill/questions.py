"""Question sets: files of questions with their gold answers, in any of the forms in which they are published."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from factmill.errors import SourceFormatError
from factmill.identity import file_digest
from factmill.question_records import AskedFact, Question, parse_question
from factmill.question_shapes import EXAMPLES, QUESTION_SHAPES, QuestionShape
from factmill.records import Container, Record, json_records, text_lines
from factmill.scoring.alignment import check_unique
from factmill.scoring.provenance import PAGE_KEYS, EvidenceSet
from factmill.scoring.qampari import GoldAnswer

_IDS_ONLY = re.compile(r"Q\d+\t[PR]\d+\tQ\d+\t")
_PROPERTY_IN_NAME = re.compile(r"(P\d+)\b")


@dataclass(frozen=True)
class QuestionSet:
    """Questions in the order of their file, each with its gold answers and whatever else the file says of it."""

    name: str
    sha256: str
    questions: tuple[str, ...]
    gold: tuple[tuple[str, ...], ...]
    shape: QuestionShape = QuestionShape.NQ_OPEN
    ids: tuple[str, ...] | None = None
    facts: tuple[AskedFact | None, ...] | None = None
    """The fact that each question asks for; None if no question names one."""
    evidence: tuple[tuple[EvidenceSet, ...], ...] | None = None
    """KILT: the sets of pages, or of finer pieces, that prove an answer."""
    answer_sets: tuple[tuple[GoldAnswer, ...], ...] | None = None
    """QAMPARI: all the answers to each question."""

    def __len__(self) -> int:
        return len(self.questions)


def read_questions(path: Path, *, rank_keys: Sequence[str] = PAGE_KEYS, needs_text: bool = True) -> QuestionSet:
    """Read a question set, packed or plain, in whichever form its first record has (docs/evaluation.md).

    What is no question is an error: to skip it would shift the scores. `rank_keys` name a piece of KILT's evidence.
    KILT's TriviaQA has ids in place of texts: it is read, with empty texts, only where nobody needs them.
    """
    digest = file_digest(path)
    parse = partial(parse_question, rank_keys=rank_keys, needs_text=needs_text)
    return _question_set(path, digest, *QUESTION_SHAPES.read(path, _records(path), parse))


def _records(path: Path) -> Iterator[Record]:
    container = Container.of(path)
    return _tsv_records(path) if container is Container.TEXT else json_records(path, container)


def _tsv_records(path: Path) -> Iterator[Record]:
    """Yield the rows of PopQA's own form; tell what another table lacks."""
    lines = text_lines(path)
    columns = _columns(path, next(lines).value)
    rows = csv.reader((line.value + "\n" for line in lines), delimiter="\t", strict=True)
    while True:
        place = f"line {rows.line_num + 2:,}"
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise QUESTION_SHAPES.refused(path, place, f"no row of a TSV ({error})", QuestionShape.POPQA) from error
        if row is None:
            return
        if len(row) != len(columns):
            seen = f"{len(row)} cells under {len(columns)} columns"
            raise QUESTION_SHAPES.refused(path, place, seen, QuestionShape.POPQA)
        yield Record(place, dict(zip(columns, row, strict=True)))


def _columns(path: Path, header: str) -> list[str]:
    if _IDS_ONLY.match(header):
        raise SourceFormatError(
            f"{path}, line 1: SimpleQuestions with ids only. It names the object of each fact, but no answer as a text:"
            f' add the object\'s names and write {EXAMPLES[QuestionShape.NQ_OPEN]}, with "subject", "property" and'
            ' "object" beside them.'
        )
    columns = header.split("\t")
    if not {"question", "possible_answers"} <= set(columns):
        raise QUESTION_SHAPES.refused(path, "line 1", "neither JSON nor a TSV with PopQA's columns", None)
    return columns


def _question_set(path: Path, digest: str, shape: QuestionShape, read: list[Question]) -> QuestionSet:
    facts = tuple(question.fact for question in read)
    named = _PROPERTY_IN_NAME.match(path.name)
    if shape is QuestionShape.ENTITYQUESTIONS and named and not any(facts):
        facts = (AskedFact(None, named[1], None),) * len(read)
    return QuestionSet(
        name=path.name,
        sha256=digest,
        questions=tuple(question.text for question in read),
        gold=tuple(question.answers for question in read),
        shape=shape,
        ids=_ids(path, read),
        facts=facts if any(facts) else None,
        evidence=tuple(question.evidence for question in read) if shape is QuestionShape.KILT else None,
        answer_sets=tuple(question.answer_set for question in read) if shape is QuestionShape.QAMPARI else None,
    )


def _ids(path: Path, read: list[Question]) -> tuple[str, ...] | None:
    ids = tuple(question.id for question in read if question.id is not None)
    if not ids:
        return None
    if len(ids) < len(read):
        bare = next(number for number, question in enumerate(read, 1) if question.id is None)
        raise SourceFormatError(f"{path}: question {bare:,} has no id, but others have.")
    try:
        check_unique(ids, "question")
    except SourceFormatError as error:
        raise SourceFormatError(f"{path}: {error}") from error
    return ids
