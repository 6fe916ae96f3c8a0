"""Linking by what a GENRE checkpoint of your own has predicted.

GENRE runs elsewhere, with its own torch; here its predictions are read, one JSON object a line:

    {"input": "who wrote [START_ENT] dune [END_ENT]", "output": [{"answer": "Dune (novel)", "score": -0.1}]}

`answer` is a title of English Wikipedia and `score` the logarithm of its likelihood; without one the n-th gets 1/n. The
marks may be left out. A question-answer pair is the question, a space and the marked answer. Titles become entities by
`wikipedia_title`, which Wikidata's stage has with `--second` and DBpedia's always.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, ValidationError

from factmill.errors import SourceFormatError
from factmill.home import Home
from factmill.lineblocks import read_lines
from factmill.linker import Mention
from factmill.manifest import Stage
from factmill.settings import settings
from factmill.warehouse import Warehouse

_START, _END = "[START_ENT]", "[END_ENT]"


class _Title(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)

    answer: str
    score: float | None = None


class _Prediction(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    input: str
    output: tuple[_Title, ...]


class GenreLinker:
    """Links the questions and pairs that stand in a file of predictions, and no others."""

    def __init__(self, home: Home, source: str, predictions: Path, *, threshold: float | None = None) -> None:
        self._threshold = settings().link_threshold if threshold is None else threshold
        self._predicted: dict[str, tuple[str, _Prediction]] = {}
        for prediction in _read(predictions):
            before, marked, rest = prediction.input.partition(_START)
            mention, _, after = rest.partition(_END)
            text = f"{before}{mention.strip()}{after}" if marked else before
            self._predicted[_spaced(text)] = (mention.strip(), prediction)
        titles = {title.answer for _, prediction in self._predicted.values() for title in prediction.output}
        self._entities = _entities(home, Stage.current(home, source), titles)

    def link(self, questions: Sequence[str]) -> list[list[Mention]]:
        """Return the entities that are predicted for each question, best first."""
        return [self._link(question, _spaced(question), None) for question in questions]

    def link_answers(self, questions: Sequence[str], answers: Sequence[str]) -> list[Mention | None]:
        """Return the entity that is predicted for each question's answer."""
        pairs = zip(questions, answers, strict=True)
        linked = [self._link(answer, _spaced(f"{question} {answer}"), answer) for question, answer in pairs]
        return [mentions[0] if mentions else None for mentions in linked]

    def _link(self, text: str, key: str, answer: str | None) -> list[Mention]:
        mention, prediction = self._predicted.get(key, ("", None))
        if prediction is None or (answer is not None and mention != _spaced(answer)):
            return []
        start = max(0, text.find(mention))
        end = start + len(mention) if mention and mention in text else len(text)
        found = [
            Mention(start, end, text[start:end], *self._entities[title.answer], _likelihood(title, rank))
            for rank, title in enumerate(prediction.output, 1)
            if title.answer in self._entities
        ]
        return [one for one in sorted(found, key=lambda one: -one.score) if one.score >= self._threshold]


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _likelihood(title: _Title, rank: int) -> float:
    return 1 / rank if title.score is None else math.exp(min(0.0, title.score))


def _read(path: Path) -> Iterator[_Prediction]:
    for number, (line, _) in enumerate(read_lines(path), 1):
        try:
            yield _Prediction.model_validate_json(line)
        except ValidationError as error:
            raise SourceFormatError(
                f"{path}, line {number:,}: no prediction."
                ' Each line reads {"input": "…", "output": [{"answer": "…", "score": -0.1}]}.'
            ) from error


def _entities(home: Home, stage: Stage, titles: set[str]) -> dict[str, tuple[str, str]]:
    """Return id and label of the staged entities with these titles."""
    with home.scratch() as scratch, Warehouse(scratch) as warehouse:
        warehouse.attach(stage)
        warehouse.load("wanted_titles", pa.table({"title": pa.array(sorted(titles), pa.string())}))
        warehouse.run("titled_entities")
        rows = warehouse.query("from titled_entities").to_pylist()
    return {row["title"]: (row["entity"], row["label"]) for row in rows}
